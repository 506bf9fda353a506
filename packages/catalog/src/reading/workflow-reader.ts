import type { Issue, Vocabulary } from '@millrace/core';
import { RequestError } from '@millrace/core';
import { ThreadOverrun, ThreadPool, ThreadsBusy } from '../threads/thread-pool.ts';
import { isLight } from './is-light.ts';
import { file, readNow } from './read-now.ts';
import type { ReadReply, ReadTask, ReadThreadData } from './read-task.ts';

/** Reads workflows that strangers have written. */
export interface WorkflowReader {
  /**
   * Reads a text for an owner, who takes turns with others. A text that may be costly is read in another thread. Problems
   * are returned, also that it takes too much; throws RequestError when too many texts of the owner wait.
   */
  read(task: ReadTask, owner: string): Promise<ReadReply>;
  close(): Promise<void>;
}

const timeoutMs = 5000;
const heapMb = 512;

/** A reader that holds up nobody: what may be costly is read in threads, for which time and memory are limited. */
export function createWorkflowReader(vocabulary: Vocabulary): WorkflowReader {
  const { extensions = noNames, limits } = vocabulary;
  const pool = new ThreadPool<ReadTask, ReadReply>({
    // Seen from the sources and from the build, the same file: node runs a thread, and reads no TypeScript.
    module: new URL('../../dist/reading/read-thread.js', import.meta.url),
    data: { extensions, ...(limits === undefined ? {} : { limits }) } satisfies ReadThreadData,
    size: 2,
    timeoutMs,
    heapMb,
    waitingPerOwner: 16,
  });
  return {
    async read(task, owner) {
      if (isLight(task)) return readNow(task, vocabulary);
      try {
        return await pool.run(task, owner);
      } catch (error) {
        if (error instanceof ThreadOverrun) return { isValid: false, issues: [overrun(error)] };
        if (error instanceof ThreadsBusy) throw new RequestError('NOT_READY', busy);
        throw error;
      }
    },
    close: () => pool.close(),
  };
}

/** A reader for who has a machine to themselves: it reads everything at once. */
export const createDirectReader = (vocabulary: Vocabulary): WorkflowReader => ({
  read: async (task) => readNow(task, vocabulary),
  close: async () => undefined,
});

const noNames = { conditions: [], processors: [], detects: [], terminations: [], tools: [] };

const busy = 'As many workflows of yours as may be are waiting to be read at the moment. Send it again in a moment.';

const overrun = ({ message }: ThreadOverrun): Issue => ({
  code: 'E_READ_LIMIT',
  severity: 'error',
  path: '',
  message:
    message === 'time'
      ? `The workflow takes longer than ${timeoutMs / 1000} seconds to read`
      : `The workflow takes more than ${heapMb} MiB of memory to read`,
  hint: 'Use fewer aliases and variables within each other, and smaller counts in patterns.',
  file,
  line: 1,
  column: 1,
});
