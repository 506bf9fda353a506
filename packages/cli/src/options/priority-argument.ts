import { InvalidArgumentError } from 'commander';

/** Largest priority: that of `maxPriority` in core, which takes long to load; a test compares both. */
const maxPriority = 1000;

/** Parses the priority of a run. */
export function parsePriority(text: string): number {
  const priority = Number(text);
  if (Number.isInteger(priority) && priority >= 1 && priority <= maxPriority) return priority;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${maxPriority}.`);
}
