import { setTimeout as pause } from 'node:timers/promises';
import type { DueAlarm, Wake } from '@millrace/core';
import { Unworkable } from '../commit/unworkable.ts';
import type { Runs } from '../contract/runs.ts';
import type { Queue } from '../queue/port.ts';
import { NewerFormat } from '../store/newer-format.ts';
import type { Store } from '../store/port.ts';

/** Options of the caretaker; all times in milliseconds. */
export interface CaretakerOptions {
  readonly store: Store;
  readonly queue: Queue;
  /** Called with alarms that are due. */
  readonly runs: Pick<Runs, 'submit' | 'refresh'>;
  /** Interval between two checks of the agenda. */
  readonly everyMs?: number;
  /** Time after which an overdue wake is checked again. */
  readonly againMs?: number;
  /** Takes over the data of builds with earlier formats; absent: it stays where it is. */
  readonly takeOver?: () => Promise<void>;
  /** Removes data whose retention has ended; absent: everything is kept. */
  readonly tidy?: (signal: AbortSignal) => Promise<void>;
  /** Interval between two removals. */
  readonly tidyEveryMs?: number;
  readonly report: (message: string, error: unknown) => void;
}

/** A running caretaker. */
export interface Caretaker {
  close(): Promise<void>;
}

/** Maximum number of agenda entries that are processed in one round. */
const batchSize = 1000;

/**
 * Starts the caretaker of the agenda: it queues the wake of a live activation again when it is overdue, under the same
 * id, which changes nothing as long as its job exists. So a crash between commit and wake, or a lost job, costs seconds
 * and no run. It removes expired runs beside that. An alarm that is due is submitted, and is due again until its run
 * has handled it. Every process has a caretaker; they may overlap.
 */
export function startCaretaker({
  store,
  queue,
  runs,
  everyMs = 1000,
  againMs = 15_000,
  takeOver,
  tidy,
  tidyEveryMs = 10_000,
  report,
}: CaretakerOptions): Caretaker {
  const stop = new AbortController();
  const round = async () => {
    const now = store.now();
    const overdue = await store.overdue(now, now + againMs, batchSize);
    const wakes = overdue.flatMap((due): Wake[] => ('activation' in due ? [due] : []));
    const rings = overdue.flatMap((due): DueAlarm[] => ('activation' in due ? [] : [due]));
    if (wakes.length > 0) await queue.requeue(wakes);
    await Promise.all(rings.map((alarm) => submitAlarm({ runs, store }, alarm)));
    // Alarms do not wait behind a long list of overdue wakes.
    return overdue.length === batchSize;
  };
  const rounds = async () => {
    for (let more = true; more && !stop.signal.aborted; ) more = await round();
    await queue.reconcile();
  };
  const repeat = async (act: () => Promise<void>, { delayMs, trouble }: { delayMs: number; trouble: string }) => {
    while (!stop.signal.aborted) {
      try {
        await act();
      } catch (error) {
        if (!stop.signal.aborted) report(trouble, error);
      }
      await pause(delayMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  };
  const ended = Promise.all([
    takeOver === undefined
      ? undefined
      : repeat(takeOver, {
          delayMs: everyMs,
          trouble: 'what earlier versions have left could not be taken over; trying again',
        }),
    repeat(rounds, { delayMs: everyMs, trouble: 'the agenda could not be looked after; trying again' }),
    tidy === undefined
      ? undefined
      : repeat(() => tidy(stop.signal), {
          delayMs: tidyEveryMs,
          trouble: 'ended runs could not be removed; trying again',
        }),
  ]);
  return {
    async close() {
      stop.abort();
      await ended;
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
    // A newer version of Millrace has taken over the run.
    if (error instanceof NewerFormat) await store.mendAgenda({ missing: [], needless: [due] });
    else if (error instanceof Unworkable) await runs.submit(run, { type: 'fail', error: error.failure });
    else throw error;
  }
}
