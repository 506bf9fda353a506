const longest = 72;

/** Returns a text as one line of at most 72 characters. */
export function shortLine(text: string): string {
  const flat = [...text.slice(0, 1000).replace(/\s+/g, ' ').trim()];
  return flat.length > longest ? `${flat.slice(0, longest - 1).join('')}…` : flat.join('');
}

const units = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'm', ms: 60_000 },
] as const;

/** Returns a length of time in its largest unit, such as `45s`, `3m`, `2h` or `5d`. */
export function ageText(ms: number): string {
  const unit = units.find((one) => ms >= one.ms);
  return unit === undefined ? `${Math.max(0, Math.floor(ms / 1000))}s` : `${Math.floor(ms / unit.ms)}${unit.name}`;
}
