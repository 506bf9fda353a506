import { expect, it } from 'vitest';
import type { NamedMessage } from './asked-request.ts';
import { readNamed, writeNamed } from './asked-request.ts';

it('names messages in a short text that reads back as it was', () => {
  const named: readonly NamedMessage[] = [
    { role: 'system', from: 'm4' },
    { role: 'user', from: 'm1' },
    { role: 'assistant', from: 's0', calls: true },
    { role: 'tool', from: 's1', call: 'call 7=+%' },
    { role: 'assistant', from: 'm12', calls: true, call: 'x' },
  ];

  expect(readNamed(writeNamed(named))).toEqual(named);
  expect(writeNamed(named.slice(0, 3))).toBe('sm4 um1 as0+');
  expect(readNamed('')).toEqual([]);
});

it('refuses a text that names something else', () => {
  expect(() => readNamed('um1 xm2')).toThrow('"xm2" names no message');
});
