import { createVocabulary } from '@millrace/catalog';
import type { RunId, Workflow } from '@millrace/core';
import type { Runtime, Store } from '@millrace/runtime';
import { openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import pino from 'pino';

/** The engine as it is measured: a runtime and a worker in this process. */
export interface Bench {
  /** Milliseconds from the first start to the end of the last run. */
  time(workflow: Workflow, options: { readonly runs: number; readonly concurrency: number }): Promise<number>;
  readonly store: Store;
  close(): Promise<void>;
}

/** Connects the engine to a Redis. */
export async function openBench(redisUrl: string): Promise<Bench> {
  const vocabulary = createVocabulary();
  const log = pino({ level: 'warn' }, process.stderr);
  const runtime = await openRuntime({ redisUrl, prefix: '{bench}' }, vocabulary, (message, error) =>
    log.error({ err: error }, message),
  );
  const ended = listen(runtime);
  return {
    async time(workflow, { runs, concurrency }) {
      const worker = startWorker({ runtime, vocabulary, concurrency, name: 'bench', log });
      const started = performance.now();
      const ids = await Promise.all(Array.from({ length: runs }, () => runtime.runs.start({ workflow, input: 'go' })));
      await Promise.all(ids.map(ended));
      const took = performance.now() - started;
      await worker.close();
      return took;
    },
    store: runtime.store,
    close: () => runtime.close(),
  };
}

/** Hears of the ends of runs from the commits of this process, so that watching costs nothing. */
function listen({ store }: Runtime): (run: RunId) => Promise<void> {
  const over = new Set<RunId>();
  const waiting = new Map<RunId, () => void>();
  const { commit } = store;
  store.commit = async (request) => {
    const result = await commit(request);
    if (result.type === 'committed' && request.summary?.status === 'completed') {
      over.add(request.run);
      waiting.get(request.run)?.();
    }
    return result;
  };
  return (run) => (over.has(run) ? Promise.resolve() : new Promise((resolve) => waiting.set(run, resolve)));
}
