import { maxPriority, queueName } from '@millrace/core';
import { expect, it } from 'vitest';
import { parsePriority, queuePattern } from './arguments.ts';

it('takes the priorities that a run may have', () => {
  expect([parsePriority('1'), parsePriority(String(maxPriority))]).toEqual([1, maxPriority]);
});

it.each(['0', '-1', '1.5', '', 'high', String(maxPriority + 1)])('refuses "%s" as a priority', (text) => {
  expect(() => parsePriority(text)).toThrow('Give a whole number from 1 to 1000.');
});

it('takes the names of queues that workflows may have', () => {
  expect(queuePattern).toEqual(queueName);
});
