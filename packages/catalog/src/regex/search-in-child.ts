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

/** Time limit of one search, in milliseconds. */
const timeoutMs = 2000;
const heapMb = 256;

/** Processes that search; they start with the first search that takes long. */
const processes = new ProcessPool<SearchTask, readonly PatternMatch[]>({
  module: new URL('./search-child.js', import.meta.url),
  size: 2,
  timeoutMs,
  heapMb,
});

/** Searches in another process. Throws REGEX_TIMEOUT if the search takes too long, or too much memory. */
export async function searchInChild(task: SearchTask): Promise<readonly PatternMatch[]> {
  try {
    return await processes.run(task);
  } catch (error) {
    if (!(error instanceof TaskOverrun)) throw error;
    const limit = error.message === 'time' ? `longer than ${timeoutMs} ms` : `more than ${heapMb} MiB of memory`;
    throw new NodeError('REGEX_TIMEOUT', `The pattern took ${limit} on a text of ${task.text.length} characters`);
  }
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
