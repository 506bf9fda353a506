import { queueName } from '@millrace/core';
import type { ConsumeOptions } from '@millrace/runtime';
import { InvalidArgumentError } from 'commander';

/** Parses comma-separated names of queues, or `*` for all; undefined for other texts. */
export function queuesIn(text: string): NonNullable<ConsumeOptions['queues']> | undefined {
  if (text.trim() === '*') return 'all';
  const names = text.split(',').map((name) => name.trim());
  return names.every((name) => queueName.test(name)) ? [...new Set(names)] : undefined;
}

/** Parses the queues that a worker serves. */
export function parseQueues(text: string): NonNullable<ConsumeOptions['queues']> {
  const queues = queuesIn(text);
  if (queues === undefined) throw new InvalidArgumentError('Give names of queues with commas between, or * for all.');
  return queues;
}
