import type { Spans } from './native-matcher.ts';

/** One match. `groups[0]` is all of it; a group that did not take part is undefined. */
export interface PatternMatch {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | undefined)[];
}

/** The match that lies at these places of a text. */
export function matchOf(text: string, spans: Spans): PatternMatch {
  const [start, end] = spans[0] ?? [0, 0];
  return { start, end, groups: spans.map((span) => span && text.slice(span[0], span[1])) };
}
