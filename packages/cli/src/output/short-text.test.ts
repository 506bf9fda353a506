import { expect, it } from 'vitest';
import { ageText } from './short-text.ts';

it.each([
  [-5, '0s'],
  [59_999, '59s'],
  [60_000, '1m'],
  [7_199_999, '1h'],
  [400_000_000, '4d'],
])('writes %d ms as %s', (ms, text) => {
  expect(ageText(ms)).toBe(text);
});
