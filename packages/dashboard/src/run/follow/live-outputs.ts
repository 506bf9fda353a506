import type { LiveEvent, RunEvent } from '@millrace/client';
import { isStill } from '../../api/live-updates.ts';

/** Minimum interval between two updates of the shown output, in milliseconds. */
const everyMs = 50;
/** Characters that are kept of one step. */
const mostCharacters = 200_000;

/** Output of an executing step. */
export interface LiveOutput {
  /** Id of the executing node. */
  readonly node: string;
  readonly step: string;
  readonly attempt: string;
  /** Characters before `text` that are no longer kept. */
  readonly skipped: number;
  readonly text: string;
}

/** Live output of the executing activations of a run. */
export interface LiveOutputs {
  /** Returns the live output of an activation; undefined when it has none. */
  of(activation: string | undefined): LiveOutput | undefined;
  /** Returns all live outputs, by activation. */
  all(): ReadonlyMap<string, LiveOutput>;
  hear(event: LiveEvent): void;
  /** Shows the output that arrived while updates were held. */
  flush(): void;
  /** Forgets activations that have settled. */
  settle(events: readonly RunEvent[]): void;
  subscribe(listener: () => void): () => void;
}

/** Creates a store of live outputs. It notifies at most every 50 ms, and not while updates are held. */
export function createLiveOutputs(): LiveOutputs {
  const outputs = new Map<string, LiveOutput>();
  const listeners = new Set<() => void>();
  let shown: ReadonlyMap<string, LiveOutput> = outputs;
  let isDue = false;

  function flush(): void {
    isDue = false;
    if (isStill.get()) return;
    shown = new Map(outputs);
    for (const listener of listeners) listener();
  }

  return {
    of: (activation) => (activation === undefined ? undefined : shown.get(activation)),
    all: () => shown,
    hear(event) {
      outputs.set(event.activation, join(outputs.get(event.activation), event));
      if (isDue) return;
      isDue = true;
      setTimeout(flush, everyMs);
    },
    flush,
    settle(events) {
      for (const { event } of events) {
        if (event.type === 'activation.completed' || event.type === 'activation.failed')
          outputs.delete(event.activation);
      }
      shown = new Map(outputs);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Returns an output with one more piece; another attempt or another step starts a new output. */
function join(before: LiveOutput | undefined, { node, step, attempt, from, text }: LiveEvent): LiveOutput {
  const isSame = before?.attempt === attempt && before.step === step;
  const known = isSame ? before : { node, step, attempt, skipped: from, text: '' };
  const kept = known.text.slice(0, Math.max(0, from - known.skipped)) + text;
  const over = Math.max(0, kept.length - mostCharacters);
  return { ...known, skipped: known.skipped + over, text: kept.slice(over) };
}
