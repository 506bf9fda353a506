import { expect, it } from 'vitest';
import { fillItems } from './items.ts';
import type { MessageBody } from './message.ts';
import { isTooDeep, maxJsonDepth, maxJsonValues, nestsTooDeeply, oversizeProblem } from './message.ts';
import { dataOf, parseJsonFields } from './variables.ts';

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

it('reads no data of a text with more values than can be parsed beside other work', () => {
  const list = (values: number) => `{"a": [${'1,'.repeat(values - 3)}1]}`;
  const text = JSON.stringify({ a: ','.repeat(200_000) });

  expect(dataOf({ content: list(maxJsonValues) })).toHaveProperty('a');
  expect(dataOf({ content: text })).toHaveProperty('a');
  expect(() => dataOf({ content: list(maxJsonValues + 2) })).toThrow(
    expect.objectContaining({ code: 'DATA_TOO_LARGE' }),
  );
  expect(dataOf({ content: list(maxJsonValues + 2).slice(1) })).toEqual({});
  expect(fillItems('{{line.a}}', { line: list(maxJsonValues + 2) })).toBe('{{line.a}}');
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
