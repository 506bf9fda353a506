const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Returns a duration in milliseconds with its two largest units, as in `2 m 14 s` or `340 ms`. */
export function formatDuration(ms: number): string {
  if (ms < second) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * second) return `${(ms / second).toFixed(1)} s`;
  if (ms < minute) return `${Math.floor(ms / second)} s`;
  if (ms < hour) return pair([Math.floor(ms / minute), 'm'], [Math.floor((ms % minute) / second), 's']);
  if (ms < day) return pair([Math.floor(ms / hour), 'h'], [Math.floor((ms % hour) / minute), 'm']);
  return pair([Math.floor(ms / day), 'd'], [Math.floor((ms % day) / hour), 'h']);
}

type Part = readonly [amount: number, unit: string];

const pair = ([large, largeUnit]: Part, [small, smallUnit]: Part): string =>
  small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;

/** Returns the age of a time in one unit, as in `3 m ago`. */
export function formatAge(at: number, now: number): string {
  const age = Math.max(0, now - at);
  if (age < 5 * second) return 'now';
  if (age < minute) return `${Math.floor(age / second)} s ago`;
  if (age < hour) return `${Math.floor(age / minute)} m ago`;
  if (age < day) return `${Math.floor(age / hour)} h ago`;
  return `${Math.floor(age / day)} d ago`;
}

/** Returns millionths of a US dollar as dollars, with as many digits as small amounts need: cents at least. */
export function formatMoney(microUsd: number): string {
  const dollars = microUsd / 1_000_000;
  if (dollars === 0) return '$0';
  if (dollars < 0.000_1) return '< $0.0001';
  return `$${dollars.toFixed(dollars < 0.01 ? 4 : dollars < 1 ? 3 : 2).replace(/(\.\d\d+?)0+$/, '$1')}`;
}

/** Returns the cost of calls of models; a dash where no call was made, or none has a known price. */
export const formatCost = (microUsd: number | undefined): string =>
  microUsd === undefined ? '–' : formatMoney(microUsd);

/** Returns an amount that caches have saved; with a minus if they cost more than they saved, and a dash if neither. */
export function formatSaved(microUsd = 0): string {
  if (microUsd === 0) return '–';
  return microUsd > 0 ? formatMoney(microUsd) : `−${formatMoney(-microUsd)}`;
}

const counts = new Intl.NumberFormat('en');

/** Returns a whole number with thousands separated. */
export const formatCount = (count: number): string => counts.format(count);

/** Returns a number of things with their name: `1 activation`, `2 activations`. */
export const formatCounted = (count: number, name: string): string =>
  `${formatCount(count)} ${count === 1 ? name : `${name}s`}`;

const sizes = ['B', 'KB', 'MB', 'GB'] as const;

/** Returns a number of bytes in the largest unit that leaves at least 1. */
export function formatBytes(bytes: number): string {
  const at = Math.min(sizes.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1024)));
  const amount = bytes / 1024 ** at;
  return `${amount < 10 && at > 0 ? amount.toFixed(1) : Math.round(amount)} ${sizes[at]}`;
}

/** Formats of times in one zone; undefined: that of the machine. */
const formatsIn = (timeZone: string | undefined) => ({
  clock: new Intl.DateTimeFormat(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
    timeZone,
  }),
  dated: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', hour12: false, timeZone }),
});

let formats = formatsIn(undefined);

/** Sets the zone in which all times are shown; undefined: that of the machine. */
export function showTimesIn(timeZone: string | undefined): void {
  formats = formatsIn(timeZone);
}

/** Returns the time of day of a time. */
export const formatClock = (at: number): string => formats.clock.format(at);

/** Returns the time of day of a time, with milliseconds. */
export const formatInstant = (at: number): string =>
  `${formats.clock.format(at)}.${String(Math.floor(at) % 1000).padStart(3, '0')}`;

/** Returns date and time of a time. */
export const formatMoment = (at: number): string => formats.dated.format(at);

const dayFormat = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** Returns a day of UTC, such as `2026-11-27`, without its year. */
export const formatDay = (day: string): string => dayFormat.format(Date.parse(day));

/** Marks at the beginning of a block of Markdown: of a heading, a list or a quotation. */
const blockMark = /^\s*(?:#{1,6}|[-*+>])\s+/;

/** Returns the beginning of a text as one line, without the marks of Markdown at its start and around words. */
export const oneLine = (text: string): string =>
  text
    .replace(blockMark, '')
    .replaceAll(/\*\*(?=\S)|(?<=\S)\*\*/g, '')
    .replaceAll(/\s+/g, ' ');
