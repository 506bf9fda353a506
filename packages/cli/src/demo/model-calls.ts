import type { RunEvent } from '@millrace/client';

/** Model calls of a run, by what its journal says of them. */
export interface ModelCalls {
  readonly completed: number;
  /** Tokens of the completed calls. */
  readonly tokens: number;
  /** Calls that were made again although they had been completed. */
  readonly repeated: number;
  /** Calls that were lost with their worker, and made again. */
  readonly interrupted: number;
}

/** Counts the model calls of a run with a budget, whose journal names lost calls, from its entries in order. */
export interface ModelCallCounter {
  add(entry: RunEvent): void;
  count(): ModelCalls;
  /** Number of the call that an activation has begun last, from 1 on; undefined without one in progress. */
  inProgress(activation: string): number | undefined;
}

interface Call {
  readonly number: number;
  completed: boolean;
  tokens: number;
}

/** Makes a counter of model calls. */
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
    call.tokens += (usage?.promptTokens ?? 0) + (usage?.completionTokens ?? 0);
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
