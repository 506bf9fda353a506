import { expect, it } from 'vitest';
import { fillItems } from './items.ts';
import type { MessageBody } from './message.ts';
import { isTooDeep, maxJsonDepth, nestsTooDeeply, oversizeProblem } from './message.ts';
import { parseJsonFields } from './variables.ts';

const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

it.each([
  ['the maximum depth', nested(maxJsonDepth), false],
  ['one more level', nested(maxJsonDepth + 1), true],
  ['brackets in a string, with escapes', JSON.stringify(`\\"${'['.repeat(5000)}`), false],
  ['many values beside each other', `[${'[{}],'.repeat(5000)}0]`, false],
  ['a string without an end', `"${'['.repeat(5000)}`, false],
])('measures the depth of JSON: %s', (_what, text, expected) => {
  expect(nestsTooDeeply(text)).toBe(expected);
});

it('finds no fields in JSON that nests too deeply', () => {
  expect(parseJsonFields(nested(maxJsonDepth))).toHaveProperty('a');
  expect(parseJsonFields(nested(20_000))).toEqual({});
  expect(fillItems('{{line.a}}', { line: nested(20_000) })).toBe('{{line.a}}');
});

it.each([
  [maxJsonDepth, false],
  [maxJsonDepth + 1, true],
  [100_000, true],
])('measures the depth of a value: %i levels', (depth, expected) => {
  expect(isTooDeep(JSON.parse(nested(depth)))).toBe(expected);
});

it('lets no message be stored whose data nests too deeply', () => {
  const withData = (depth: number): MessageBody => ({
    role: 'user',
    content: [{ type: 'data', data: JSON.parse(nested(depth)) }],
  });

  expect(oversizeProblem([withData(100)], 'The output')).toBeUndefined();
  expect(oversizeProblem([withData(20_000)], 'The output')).toContain(
    'The output has a message with data of more than',
  );
});
