import type { RunEvent } from '@millrace/client';
import { tokensOf } from '@millrace/core/usage';

/** Counts of the model calls in the journal of a run. */
export interface ModelCalls {
  readonly completed: number;
  /** Tokens of the completed calls. */
  readonly tokens: number;
  /** Completed calls that were repeated. */
  readonly repeated: number;
  /** Calls that were lost with their worker, and repeated. */
  readonly interrupted: number;
}

/** Counter of the model calls of a run with a budget, whose journal names lost calls; reads the entries in order. */
export interface ModelCallCounter {
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
