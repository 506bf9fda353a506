import type { Span } from '../../activations/timeline-row.ts';

/** Shortest time that a window shows, in milliseconds. */
const shortestMs = 4;

/** Moves a window by a share of its length, and keeps it within the whole time. */
export function panned(window: Span, by: number, whole: Span): Span {
  const length = window.to - window.from;
  const from = Math.max(whole.from, Math.min(whole.to - length, window.from + by * length));
  return { from, to: from + length };
}

/** Makes a window shorter (`factor` below 1) or longer around its middle, and keeps it within the whole time. */
export function zoomed(window: Span, factor: number, whole: Span): Span {
  const length = Math.max(shortestMs, Math.min(whole.to - whole.from, (window.to - window.from) * factor));
  const middle = (window.from + window.to) / 2;
  return panned({ from: middle - length / 2, to: middle + length / 2 }, 0, whole);
}

/** Returns a window around a time with some room at both ends. */
export function aroundOf({ from, to }: Span): Span {
  const room = Math.max(shortestMs / 2, (to - from) * 0.03);
  return { from: from - room, to: to + room };
}

/** Returns the window that an address names, as in `1700000000000-1700000004000`. */
export function parseWindow(text: unknown): Span | undefined {
  const [, from, to] = /^(\d{12,14})-(\d{12,14})$/.exec(String(text)) ?? [];
  return from === undefined || to === undefined || from >= to ? undefined : { from: Number(from), to: Number(to) };
}

/** Returns a window as addresses name it. */
export const formatWindow = ({ from, to }: Span): string => `${Math.floor(from)}-${Math.ceil(to)}`;

/** Returns the window to which a key moves another one; undefined: it follows the visible rows. Absent: keys that do nothing here. */
export const windowKeys: Readonly<Record<string, ((window: Span, whole: Span) => Span | undefined) | undefined>> = {
  ['ArrowLeft']: (window, whole) => panned(window, -0.2, whole),
  ['ArrowRight']: (window, whole) => panned(window, 0.2, whole),
  ['+']: (window, whole) => zoomed(window, 0.5, whole),
  ['=']: (window, whole) => zoomed(window, 0.5, whole),
  ['-']: (window, whole) => zoomed(window, 2, whole),
  ['0']: () => undefined,
  ['Home']: (window, whole) => panned(window, Number.NEGATIVE_INFINITY, whole),
  ['End']: (window, whole) => panned(window, Number.POSITIVE_INFINITY, whole),
};
