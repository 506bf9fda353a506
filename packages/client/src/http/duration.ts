const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A length of time: milliseconds, or a text such as `90s`, `30m`, `2h` or `7d`. */
export type Duration = number | `${number}${keyof typeof units}`;

/** The same in milliseconds. Throws TypeError for what is none. */
export function toMilliseconds(duration: Duration): number {
  if (typeof duration === 'number') return duration;
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration) ?? [];
  if (amount === undefined) throw new TypeError(`"${duration}" is no duration; write one such as 90s, 30m or 2h.`);
  return Number(amount) * units[unit as keyof typeof units]; // the pattern allows no other unit
}
