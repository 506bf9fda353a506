import type { Spans } from './native-matcher.ts';

/** One match. `groups[0]` is the whole match; a group that did not take part is undefined. */
export interface PatternMatch {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | undefined)[];
}

/** Returns the match at these positions of a text. */
export function matchOf(text: string, spans: Spans): PatternMatch {
  const [start, end] = spans[0] ?? [0, 0];
  return { start, end, groups: spans.map((span) => span && text.slice(span[0], span[1])) };
}
