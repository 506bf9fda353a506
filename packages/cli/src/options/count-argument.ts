import { InvalidArgumentError } from 'commander';

/** Parses a whole number of at least 1. */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('Give a whole number from 1 on.');
  return Number(text);
}
