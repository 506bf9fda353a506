import type { AgendaItem } from '@millrace/core';
import { agendaItemId, parseAgendaItemId } from '@millrace/core';
import type { Clock } from '../../../clock/clock.ts';
import type { TimeEntry } from '../../../clock/time-queue.ts';
import { TimeQueue } from '../../../clock/time-queue.ts';
import type { Commit, Store } from '../../../ports/store/port.ts';

/** Agenda in this process only. */
export interface LocalAgenda {
  /** Applies a commit; a wake is overdue `graceMs` after it. */
  note(commit: Pick<Commit, 'at' | 'decision'>, graceMs: number): void;
  readonly access: Pick<Store, 'untilDue' | 'overdue' | 'agenda' | 'onAgenda' | 'repairAgenda'>;
}

/**
 * Creates an agenda without entries. From the moment at which an entry is due until its caller calls `untilDue` again, the
 * agenda holds the clock for the caller, who does what is due. By a virtual clock nothing is overdue that was not asked for:
 * within one process no wake is lost, and time moves from one entry to the next.
 */
export function createLocalAgenda(clock: Clock): LocalAgenda {
  const queue = new TimeQueue<string>();
  const entries = new Map<string, TimeEntry<string>>();
  /** Called when entries were added or removed. */
  const watchers = new Set<() => void>();
  /** Ends the hold of each caller. */
  const holds = new WeakMap<AbortSignal, () => void>();

  const remove = (id: string): void => {
    const entry = entries.get(id);
    if (entry === undefined) return;
    queue.remove(entry);
    entries.delete(id);
  };
  const put = (id: string, at: number): void => {
    remove(id);
    entries.set(id, queue.add(at, id));
  };
  const repeat = (id: string, at: number): void => put(id, clock.isVirtual ? Number.POSITIVE_INFINITY : at);

  /** Waits for the time of the earliest entry, until that is another one, or until the signal is aborted. */
  const untilFirst = (first: TimeEntry<string> | undefined, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        cancel?.();
        watchers.delete(look);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const look = (): void => {
        if (queue.first() !== first) end();
      };
      const isNever = first === undefined || first.at === Number.POSITIVE_INFINITY;
      const cancel = isNever ? undefined : clock.after(first.at - clock.now(), end);
      watchers.add(look);
      signal.addEventListener('abort', end);
    });

  const hold = (signal: AbortSignal): void => {
    const release = clock.hold();
    const end = (): void => {
      signal.removeEventListener('abort', end);
      release();
    };
    signal.addEventListener('abort', end);
    holds.set(signal, end);
  };

  return {
    note({ at, decision }, graceMs) {
      for (const wake of decision.wakes) repeat(agendaItemId(wake), at + graceMs);
      for (const later of decision.later) put(agendaItemId(later.due), later.at);
      for (const due of decision.settled) remove(agendaItemId(due));
      for (const look of watchers) look();
    },
    access: {
      async untilDue(signal) {
        holds.get(signal)?.();
        while (!signal.aborted) {
          const first = queue.first();
          if (first !== undefined && first.at <= clock.now()) {
            hold(signal);
            return true;
          }
          await untilFirst(first, signal);
        }
        return false;
      },
      async overdue(now, until, limit) {
        const due: string[] = [];
        for (let first = queue.first(); first !== undefined && first.at <= now; first = queue.first()) {
          if (due.length === limit) break;
          due.push(first.value);
          remove(first.value);
        }
        for (const id of due) repeat(id, until);
        return due.flatMap(duesOf);
      },
      agenda: async () => queue.inOrder().flatMap(({ value }) => duesOf(value)),
      onAgenda: async (items) => items.filter((due) => entries.has(agendaItemId(due))),
      async repairAgenda({ missing, needless }) {
        for (const due of missing) put(agendaItemId(due), 0);
        for (const due of needless) remove(agendaItemId(due));
        for (const look of watchers) look();
      },
    },
  };
}

function duesOf(id: string): AgendaItem[] {
  const due = parseAgendaItemId(id);
  return due === undefined ? [] : [due];
}
