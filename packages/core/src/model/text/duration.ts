const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A length of time as text, such as `500ms`, `90s`, `30m`, `1.5h` or `7d`. */
export type DurationText = `${number}${keyof typeof units}`;

/** The form of a duration: a number with at most nine digits on each side of the point, and a unit. */
export const durationPattern = /^(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)$/;

/** Parses a text such as `90s`, `30m`, `1.5h` or `7d`; returns whole milliseconds, or undefined if it is not a duration. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = durationPattern.exec(text) ?? [];
  return amount === undefined ? undefined : Math.round(Number(amount) * units[unit as keyof typeof units]); // the pattern allows no other unit
}
