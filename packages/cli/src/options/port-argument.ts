import { InvalidArgumentError } from 'commander';

/** Parses a port; 0 means any free port. */
export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Give a port from 0 to 65535.');
  return Number(text);
}
