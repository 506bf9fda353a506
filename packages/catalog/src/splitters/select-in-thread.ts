import { NodeError } from '@millrace/core';
import { ThreadOverrun, ThreadPool } from '../threads/thread-pool.ts';

/** A JSONPath, and the value that it is applied to. */
export interface SelectTask {
  readonly path: string;
  readonly value: unknown;
}

/** Places of the selected values: keys and list positions. */
export type Locations = readonly (readonly (string | number)[])[];

const timeoutMs = 2000;
const heapMb = 256;

/**
 * Threads of this process; they start with the first JSONPath. A path can select a value many times over, and its patterns can
 * take exponential time.
 */
const threads = new ThreadPool<SelectTask, Locations>({
  // The path is the same from the sources and from the build: Node runs the built file, because it reads no TypeScript.
  module: new URL('../../dist/splitters/select-thread.js', import.meta.url),
  size: 1,
  timeoutMs,
  heapMb,
});

/** Applies a JSONPath in another thread. Throws JSON_PATH_LIMIT if that takes too much time or memory. */
export async function selectInThread(task: SelectTask): Promise<Locations> {
  try {
    return await threads.run(task);
  } catch (error) {
    if (!(error instanceof ThreadOverrun)) throw error;
    const limit = error.message === 'time' ? `${timeoutMs / 1000} seconds` : `${heapMb} MiB of memory`;
    throw new NodeError('JSON_PATH_LIMIT', `The JSONPath "${task.path}" takes more than ${limit}.`);
  }
}
