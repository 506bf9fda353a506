const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Length of time: milliseconds, or a text such as `90s`, `30m`, `2h` or `7d`. */
export type Duration = number | `${number}${keyof typeof units}`;

/** Parses a text such as `90s`, `30m`, `1.5h` or `7d` as milliseconds; undefined if it is not a duration. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * units[unit as keyof typeof units]; // the pattern allows no other unit
}

/** Returns a duration in milliseconds. Throws TypeError for a text that is not a duration. */
export function toMilliseconds(duration: Duration): number {
  const ms = typeof duration === 'number' ? duration : parseDuration(duration);
  if (ms !== undefined) return ms;
  throw new TypeError(`"${duration}" is not a duration. Write one such as 90s, 30m or 2h.`);
}
