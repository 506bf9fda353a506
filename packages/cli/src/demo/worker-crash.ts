import type { RunEvent } from '@millrace/client';
import type { DemoWorker } from './demo-worker.ts';
import type { ModelCalls } from './model-calls.ts';
import { countModelCalls } from './model-calls.ts';

/** Model call during which the demo kills its worker: the second draft, in the middle of the loop. */
const fatalCall = 4;

/** Crash of a worker in the middle of a run. */
export interface Crash {
  /** Activation whose call was lost; absent until another worker finds it, or if none was in progress. */
  readonly activation?: string;
  /** Calls that were completed before. */
  readonly before: ModelCalls;
}

/** Parts of a crash. */
export interface CrashOptions {
  readonly worker: DemoWorker;
  /** Called when the process has ended. */
  onKilled(crash: Crash): void;
}

/** Watches the journal of a run, and kills the worker once, during a model call that has been announced as work in progress. */
export function crashDuringCall({ worker, onKilled }: CrashOptions) {
  const calls = countModelCalls();
  let crash: Crash | undefined;
  return {
    watch(entry: RunEvent): void {
      calls.add(entry);
      const { event } = entry;
      if (crash !== undefined) {
        // On a busy machine, the worker may have begun another call before it was killed.
        if (event.type === 'step.lost') crash = { activation: event.activation, before: calls.count() };
        return;
      }
      if (event.type !== 'activation.started' || calls.inProgress(event.activation) !== fatalCall) return;
      const happened = { before: calls.count() };
      crash = happened;
      void worker.kill().then(() => onKilled(happened));
    },
    calls: () => calls.count(),
    crash: () => crash,
  };
}
