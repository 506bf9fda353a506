import { maxPriority } from '@millrace/core';
import { InvalidArgumentError } from 'commander';

/** How far others go before a run. */
export function parsePriority(text: string): number {
  const priority = Number(text);
  if (Number.isInteger(priority) && priority >= 1 && priority <= maxPriority) return priority;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${maxPriority}.`);
}
