import type { AgendaItem } from '@millrace/core';
import { agendaItemId, parseAgendaItemId } from '@millrace/core';
import type { Commit, Store } from '../../../ports/store/port.ts';

/** Agenda in this process only. */
export interface LocalAgenda {
  /** Applies a commit; a wake is overdue `graceMs` after it. */
  note(commit: Pick<Commit, 'at' | 'decision'>, graceMs: number): void;
  readonly access: Pick<Store, 'untilDue' | 'overdue' | 'agenda' | 'onAgenda' | 'repairAgenda'>;
}

/** An agenda without entries. */
export function createLocalAgenda(): LocalAgenda {
  const times = new Map<string, number>();
  const soonestFirst = () => [...times.entries()].sort(([, a], [, b]) => a - b);
  return {
    note({ at, decision }, graceMs) {
      for (const wake of decision.wakes) times.set(agendaItemId(wake), at + graceMs);
      for (const later of decision.later) times.set(agendaItemId(later.due), later.at);
      for (const due of decision.settled) times.delete(agendaItemId(due));
    },
    access: {
      untilDue: async () => true,
      async overdue(now, until, limit) {
        const due = soonestFirst().filter(([, at]) => at <= now);
        return due.slice(0, limit).flatMap(([id]): AgendaItem[] => {
          times.set(id, until);
          return duesOf(id);
        });
      },
      async agenda() {
        return soonestFirst().flatMap(([id]) => duesOf(id));
      },
      onAgenda: async (items) => items.filter((due) => times.has(agendaItemId(due))),
      async repairAgenda({ missing, needless }) {
        for (const due of missing) times.set(agendaItemId(due), 0);
        for (const due of needless) times.delete(agendaItemId(due));
      },
    },
  };
}

function duesOf(id: string): AgendaItem[] {
  const due = parseAgendaItemId(id);
  return due === undefined ? [] : [due];
}
