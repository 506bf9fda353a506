import type { Commit, Outbox, OutboxEntry } from '../../../ports/store/port.ts';

/** An outbox in this process only. */
export interface LocalOutbox {
  note(commit: Pick<Commit, 'run' | 'outboxEntries'>): void;
  readonly access: Outbox;
}

/** Creates an empty outbox. A taken entry is not given again: the consumer lives as long as the outbox. */
export function createLocalOutbox(): LocalOutbox {
  let waiting: OutboxEntry[] = [];
  let count = 0;
  const takers = new Set<() => void>();
  return {
    note({ run, outboxEntries = [] }) {
      for (const entry of outboxEntries) waiting.push({ id: `${++count}-0`, run, entry });
      if (outboxEntries.length > 0) for (const taker of takers) taker();
    },
    access: {
      async take(signal) {
        if (waiting.length === 0 && !signal.aborted) {
          await new Promise<void>((resolve) => {
            const leave = (): void => {
              takers.delete(leave);
              signal.removeEventListener('abort', leave);
              resolve();
            };
            takers.add(leave);
            signal.addEventListener('abort', leave);
          });
        }
        if (signal.aborted) return [];
        const taken = waiting;
        waiting = [];
        return taken;
      },
      done: async () => undefined,
    },
  };
}
