import { InvalidArgumentError } from 'commander';

const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration such as 30s, 15m, 24h or 90d, in milliseconds. */
export function parseDuration(text: string): number {
  const [, amount, unit = ''] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  const unitMs = unitsMs[unit];
  if (unitMs === undefined) throw new InvalidArgumentError('Give a duration such as 30s, 15m, 24h or 90d.');
  return Number(amount) * unitMs;
}
