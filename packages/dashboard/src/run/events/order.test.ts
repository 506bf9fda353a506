import { expect, it } from 'vitest';
import { commitOf, endOfCommit, isAfter, placeAfter } from './order.ts';

it.each([
  ['12-3', '12-4'],
  ['1-0', '1-1'],
  [endOfCommit(7), endOfCommit(7)],
])('the place after %s is %s, which is an id that the API accepts', (id, expected) => {
  expect(placeAfter(id)).toBe(expected);
  expect(placeAfter(id)).toMatch(/^\d{1,15}-\d{1,15}$/);
});

it('orders events by their commits and their numbers in them', () => {
  expect(['2-0', '10-0', '10-2'].map(commitOf)).toEqual([2, 10, 10]);
  expect(isAfter('10-0', '9-5')).toBe(true);
  expect(isAfter('10-2', '10-10')).toBe(false);
  expect(isAfter('10-2', '10-2')).toBe(false);
});
