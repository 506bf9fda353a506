import { expect, it } from 'vitest';
import { inexactNumber } from './exact-numbers.ts';

it.each([
  ['{"id": 9007199254740993, "n": 1e999}', '9007199254740993'],
  ['[1, {"a": -12345678901234567890}]', '-12345678901234567890'],
  ['{"rounded before": 9007199254740992}', '9007199254740992'],
  ['{"n":1e999}', '1e999'],
])('finds a number in %s that cannot be passed on exactly', (json, number) => {
  expect(inexactNumber(json)).toBe(number);
});

it.each([
  '{"id": "9007199254740993", "\\"9007199254740993": 1}',
  '[9007199254740991, -0, 0.1, 1.10, 1e3, 6.02e23]',
  'true',
  '',
])('finds none in %s', (json) => {
  expect(inexactNumber(json)).toBeUndefined();
});
