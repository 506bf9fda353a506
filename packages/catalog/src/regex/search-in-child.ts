import { NodeError } from '@millrace/core';
import { ProcessPool, TaskOverrun } from '../processes/process-pool.ts';
import type { Spans } from './native-matcher.ts';
import type { PatternFlags } from './parse/syntax.ts';

/** A search for another process. */
export interface SearchTask {
  readonly pattern: string;
  readonly flags: PatternFlags;
  readonly text: string;
  /** Maximum number of matches. */
  readonly limit: number;
}

/** Limit of the processor time of one search, in milliseconds. */
const processorMs = 2000;
const heapMb = 256;

/**
 * Processes that search; they start with the first search that takes long. Their results are positions, as the texts of groups can
 * have many times the length of the text.
 */
const processes = new ProcessPool<SearchTask, Int32Array>({
  module: new URL('./search-child.js', import.meta.url),
  size: 2,
  processorMs,
  heapMb,
});

/** Searches in another process for a pattern with so many groups, the whole match included. Throws REGEX_TIMEOUT if the search takes too long, or too much memory. */
export async function searchInChild(task: SearchTask, groups: number): Promise<readonly Spans[]> {
  try {
    return unpacked(await processes.run(task), groups);
  } catch (error) {
    if (!(error instanceof TaskOverrun)) throw error;
    const limit =
      error.message === 'time' ? `more than ${processorMs} ms of processor time` : `more than ${heapMb} MiB of memory`;
    throw new NodeError('REGEX_TIMEOUT', `The pattern took ${limit} on a text of ${task.text.length} characters`);
  }
}

/** Returns matches as positions: a start and an end for each group, -1 for one that did not take part. */
export const packed = (matches: readonly Spans[]): Int32Array =>
  Int32Array.from(matches.flatMap((spans) => spans.flatMap((span) => span ?? [-1, -1])));

function unpacked(positions: Int32Array, groups: number): readonly Spans[] {
  const spanAt = (at: number) => {
    const [start = -1, end = -1] = positions.subarray(2 * at, 2 * at + 2);
    return start < 0 ? undefined : ([start, end] as const);
  };
  return Array.from({ length: positions.length / (2 * groups) }, (_, match) =>
    Array.from({ length: groups }, (_group, group) => spanAt(match * groups + group)),
  );
}

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
