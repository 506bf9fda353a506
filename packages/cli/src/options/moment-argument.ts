import { InvalidArgumentError } from 'commander';
import { durationIn } from './duration-argument.ts';

/** Parses a point in time; a duration such as 24h means 24 hours ago. */
export function momentArgument(text: string): string {
  const agoMs = durationIn(text);
  if (agoMs !== undefined) return String(Math.round(Date.now() - agoMs));
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new InvalidArgumentError('Give a time such as 24h or 2026-01-31T12:00:00Z.');
  return String(at);
}
