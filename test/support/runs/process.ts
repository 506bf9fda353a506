import type { RunLimits, Vocabulary } from '@millrace/core';
import { defaultRunLimits } from '@millrace/core';
import type { Queue, Runs, Store } from '@millrace/runtime';
import { createLocalRates, createMemoryBlobs, createRuns, startCaretaker } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';

/** Worker and caretaker that run inside the process of the test. */
export interface InProcess {
  readonly runs: Runs;
  readonly stopped: AbortSignal;
  /** Stops without waiting for active work, and leaves the store open. */
  stop(): Promise<void>;
}

/** Intervals of the caretaker, in milliseconds; short, because tests wait for it. */
const caretaking = { everyMs: 5, againMs: 30 };

/** Blobs that all processes of a test share, whichever is dead. */
const blobs = createMemoryBlobs();

/** Limits with which small fan-outs are stored and joined in parts, too, so that each place between two parts is tested. */
export const limitsOfSmallParts: RunLimits = { ...defaultRunLimits, unitsPerCommit: 2 };

/** Starts a worker with a caretaker on a store and queue. Errors are expected and not reported. */
export function startInProcess(
  store: Store,
  queue: Queue,
  vocabulary: Vocabulary,
  limits = limitsOfSmallParts,
): InProcess {
  const report = () => undefined;
  const runs = createRuns({ rates: createLocalRates(store.now), store, blobs, queue, vocabulary, report, limits });
  const log = pino({ level: 'silent' });
  startWorker({ runtime: { runs, queue }, vocabulary, concurrency: 4, name: 'in-process', log });
  const caretaker = startCaretaker({ store, queue, runs, report, ...caretaking });
  const stopping = new AbortController();
  return {
    runs,
    stopped: stopping.signal,
    async stop() {
      stopping.abort();
      await caretaker.close();
      await queue.close();
    },
  };
}
