import { NodeError } from '@millrace/core';
import { ThreadOverrun, ThreadPool } from '../threads/thread-pool.ts';
import type { PatternMatch } from './match.ts';
import type { PatternFlags } from './parse/syntax.ts';

/** A search that is done in another thread. */
export interface SearchTask {
  readonly pattern: string;
  readonly flags: PatternFlags;
  readonly text: string;
  /** Matches at most. */
  readonly limit: number;
}

/** How long one search may take, in milliseconds. */
const timeoutMs = 2000;

/** Those of this process; they start with the first search that takes long. */
const threads = new ThreadPool<SearchTask, readonly PatternMatch[]>({
  // Seen from the sources and from the build, the same file: node runs a thread, and reads no TypeScript.
  module: new URL('../../dist/regex/search-thread.js', import.meta.url),
  size: 2,
  timeoutMs,
  heapMb: 256,
});

/** Searches without holding up this thread. Throws REGEX_TIMEOUT when it takes too long. */
export async function searchInThread(task: SearchTask): Promise<readonly PatternMatch[]> {
  try {
    return await threads.run(task);
  } catch (error) {
    if (!(error instanceof ThreadOverrun)) throw error;
    throw new NodeError(
      'REGEX_TIMEOUT',
      `The pattern took longer than ${timeoutMs} ms on a text of ${task.text.length} characters`,
    );
  }
}
