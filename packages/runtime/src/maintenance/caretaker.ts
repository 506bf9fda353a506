import { setTimeout as sleep } from 'node:timers/promises';
import type { DueAlarm, Wake } from '@millrace/core';
import { UnrecoverableRunError } from '../commit/unrecoverable-run.ts';
import type { Runs } from '../contract/runs.ts';
import type { Lease } from '../ports/lease.ts';
import type { Queue } from '../ports/queue.ts';
import { ForeignFormat } from '../ports/store/errors.ts';
import type { Store } from '../ports/store/port.ts';

/** Options of the caretaker; all times in milliseconds. */
export interface CaretakerOptions {
  readonly store: Store;
  readonly queue: Queue;
  /** Called with alarms that are due. */
  readonly runs: Pick<Runs, 'submit' | 'refresh'>;
  /** Lease of the work on the agenda and the queues; absent: this process does it in any case. */
  readonly lease?: Lease | undefined;
  /** Pause between two checks of the agenda; 0 where the store itself waits until something is due. */
  readonly everyMs?: number;
  /** Time after which an overdue wake is checked again. */
  readonly againMs?: number;
  /** Further work that is repeated. */
  readonly chores?: readonly Chore[];
  readonly report: (message: string, error: unknown) => void;
}

/** Work that is repeated. */
export interface Chore {
  readonly act: (signal: AbortSignal) => Promise<void>;
  /** Pause between two repetitions, in milliseconds. */
  readonly everyMs: number;
  /** Lease of this work; absent: this process does it in any case. */
  readonly lease?: Lease | undefined;
  /** Message that reports an error. */
  readonly trouble: string;
}

/** A running caretaker. */
export interface Caretaker {
  close(): Promise<void>;
}

/** Shortest pause after work that has failed, in milliseconds. */
const pauseAfterFailureMs = 1000;

/** Maximum number of agenda entries that are processed in one round. */
const batchSize = 1000;

/**
 * Starts the caretaker of the agenda: it queues the wake of a live activation again when it is overdue, under the same
 * id, which changes nothing as long as its job exists. So a crash between commit and wake, or a lost job, costs seconds
 * and no run. An alarm that is due is submitted, and is due again until its run has handled it. Beside that, it repairs the
 * counts of wakes, and does further chores.
 *
 * Every process has a caretaker, and the one that holds the lease works. They may overlap.
 */
export function startCaretaker({
  store,
  queue,
  runs,
  lease,
  everyMs = 1000,
  againMs = 15_000,
  chores = [],
  report,
}: CaretakerOptions): Caretaker {
  const stop = new AbortController();
  const round = async () => {
    const now = store.now();
    const overdue = await store.overdue(now, now + againMs, batchSize);
    const wakes = overdue.flatMap((due): Wake[] => ('activation' in due ? [due] : []));
    const alarms = overdue.flatMap((due): DueAlarm[] => ('activation' in due ? [] : [due]));
    if (wakes.length > 0) await queue.requeue(wakes);
    await Promise.all(alarms.map((alarm) => submitAlarm({ runs, store }, alarm)));
    // Alarms do not wait behind a long list of overdue wakes.
    return overdue.length === batchSize;
  };
  const rounds = async () => {
    while (!(await store.untilDue(stop.signal))) {
      await lease?.whenHeld(stop.signal);
      if (stop.signal.aborted) return;
    }
    for (let more = true; more && !stop.signal.aborted; ) more = await round();
  };
  const repeat = async ({ act, everyMs: delayMs, lease: needed, trouble }: Chore) => {
    while (!stop.signal.aborted) {
      await needed?.whenHeld(stop.signal);
      if (stop.signal.aborted) return;
      let pauseMs = delayMs;
      try {
        await act(stop.signal);
      } catch (error) {
        if (!stop.signal.aborted) report(trouble, error);
        pauseMs = Math.max(delayMs, pauseAfterFailureMs);
      }
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  };
  const all: readonly Chore[] = [
    { act: rounds, everyMs, lease, trouble: 'the agenda could not be looked after; trying again' },
    ...chores,
  ];
  const ended = Promise.all(all.map(repeat));
  return {
    async close() {
      stop.abort();
      await ended;
      await Promise.all(all.map((chore) => chore.lease?.close()));
    },
  };
}

/**
 * Submits an alarm to its run. A refusal can come from a cached state that lacks the commit that set the alarm; then it
 * is submitted again. A run that can never handle it fails with the reason; otherwise it would be repeated forever.
 */
async function submitAlarm({ runs, store }: Pick<CaretakerOptions, 'runs' | 'store'>, due: DueAlarm): Promise<void> {
  const { run, alarm, token } = due;
  const command = { type: 'alarm', alarm, token } as const;
  try {
    const verdict = await runs.submit(run, command);
    if (verdict.type === 'refused' && (await runs.refresh(run)) !== undefined) await runs.submit(run, command);
  } catch (error) {
    // Another version of Millrace stores the run.
    if (error instanceof ForeignFormat) await store.repairAgenda({ missing: [], needless: [due] });
    else if (error instanceof UnrecoverableRunError) await runs.submit(run, { type: 'fail', error: error.failure });
    else throw error;
  }
}
