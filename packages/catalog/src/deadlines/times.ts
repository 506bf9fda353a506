const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const longestMs = 3650 * units.d;

/** Example of a duration, for messages. */
export const durationExamples = 'a duration such as 90s, 30m, 2h or 7d, of at most 3650d';

/** Parses a duration such as `90s`; returns milliseconds, or undefined if the text is none. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,9}(?:\.\d{1,6})?)(ms|s|m|h|d)$/.exec(text.trim()) ?? [];
  if (amount === undefined) return undefined;
  const durationMs = Math.round(Number(amount) * units[unit as keyof typeof units]); // the pattern allows no other unit
  return durationMs <= longestMs ? durationMs : undefined;
}

const pattern = /^(\d{4}-\d\d-\d\d)(?:[Tt ]+(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?: ?([Zz]|[-+]\d\d:\d\d))?)?$/;

/**
 * Parses a date or a time of ISO 8601, as YAML writes it, too; without an offset it is in UTC. Returns milliseconds
 * since 1970, or undefined if the text is none.
 */
export function parseTime(text: string): number | undefined {
  const [, day, time = '00:00:00', offset = 'Z'] = pattern.exec(text.trim()) ?? [];
  if (day === undefined) return undefined;
  // `Date` turns the 31st of a short month into the 1st of the next one.
  const midnight = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return undefined;
  const at = Date.parse(`${day}T${time}${offset.toUpperCase()}`);
  return Number.isNaN(at) ? undefined : at;
}
