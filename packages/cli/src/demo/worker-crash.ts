import type { RunEvent } from '@millrace/client';
import { tokensOf } from '@millrace/core/usage';
import type { DemoWorker } from './demo-worker.ts';

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
      const current = { before: calls.count() };
      crash = current;
      void worker.kill().then(() => onKilled(current));
    },
    calls: () => calls.count(),
    crash: () => crash,
  };
}

/** Counts of the model calls in the journal of a run. */
interface ModelCalls {
  readonly completed: number;
  /** Tokens of the completed calls. */
  readonly tokens: number;
  /** Completed calls that were repeated. */
  readonly repeated: number;
  /** Calls that were lost with their worker, and repeated. */
  readonly interrupted: number;
}

/** Counter of the model calls of a run with a budget, whose journal names lost calls; reads the entries in order. */
interface ModelCallCounter {
  add(entry: RunEvent): void;
  count(): ModelCalls;
  /** Returns the number of the call that an activation has begun last, from 1; undefined if none is in progress. */
  inProgress(activation: string): number | undefined;
}

interface Call {
  readonly number: number;
  completed: boolean;
  tokens: number;
}

/** Creates a counter of model calls. */
export function countModelCalls(): ModelCallCounter {
  const calls = new Map<string, Call>();
  const latest = new Map<string, Call>();
  let repeated = 0;
  let interrupted = 0;

  function begin(activation: string, step: number): void {
    const key = `${activation}/${step}`;
    const known = calls.get(key);
    if (known?.completed === true) repeated += 1;
    const call = known ?? { number: calls.size + 1, completed: false, tokens: 0 };
    calls.set(key, call);
    latest.set(activation, call);
  }

  function complete(call: Call, usage: Extract<RunEvent['event'], { type: 'step.completed' }>['usage']): void {
    if (call.completed) repeated += 1;
    call.completed = true;
    call.tokens += tokensOf(usage);
  }

  return {
    add({ event }) {
      if (event.type === 'step.started' && event.name.startsWith('chat ')) begin(event.activation, event.step);
      if (event.type !== 'step.completed' && event.type !== 'step.lost') return;
      const call = calls.get(`${event.activation}/${event.step}`);
      if (call === undefined) return;
      if (event.type === 'step.completed') complete(call, event.usage);
      else if (call.completed) repeated += 1;
      else interrupted += 1;
    },
    count() {
      const completed = [...calls.values()].filter((call) => call.completed);
      const tokens = completed.reduce((sum, call) => sum + call.tokens, 0);
      return { completed: completed.length, tokens, repeated, interrupted };
    },
    inProgress(activation) {
      const call = latest.get(activation);
      return call === undefined || call.completed ? undefined : call.number;
    },
  };
}
