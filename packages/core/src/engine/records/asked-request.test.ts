import fc from 'fast-check';
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

it('names the messages of nodes that take turns in a text that does not grow with their rounds', () => {
  const turn = (round: number): readonly NamedMessage[] => [
    { role: 'assistant', from: `m${11 + 4 * round}` },
    { role: 'user', from: `m${13 + 4 * round}` },
  ];
  const conversation = (rounds: number): readonly NamedMessage[] => [
    { role: 'system', from: 'm7' },
    { role: 'user', from: 'm5' },
    { role: 'assistant', from: 'm9' },
    { role: 'user', from: 'm11' },
    ...Array.from({ length: rounds }, (_, round) => turn(round + 1)).flat(),
  ];

  expect(writeNamed(conversation(20))).toBe('sm7 um5 a+4 u+2 2*1 a+2 u+2 2*18');
  expect(writeNamed(conversation(2000)).length).toBeLessThan(45);
  expect(readNamed(writeNamed(conversation(2000)))).toEqual(conversation(2000));
});

it('reads back any messages', () => {
  const from = fc.oneof(
    fc.nat({ max: 30 }).map((number): NamedMessage['from'] => `m${number}`),
    fc.nat({ max: 3 }).map((number): NamedMessage['from'] => `s${number}`),
  );
  const named: fc.Arbitrary<NamedMessage> = fc.record(
    {
      role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
      from,
      calls: fc.constant(true as const),
      call: fc.string(),
    },
    { requiredKeys: ['role', 'from'] },
  );

  fc.assert(
    fc.property(fc.array(named, { maxLength: 6 }), fc.nat({ max: 5 }), (some, times) => {
      const messages = [...some, ...Array.from({ length: times }, () => some).flat(), ...some.slice(1)];
      expect(readNamed(writeNamed(messages))).toEqual(messages);
    }),
  );
});

it('refuses a text that names something else', () => {
  expect(() => readNamed('um1 xm2')).toThrow('"xm2" names no message');
});
