import type { JournalEntry, MessageBody, MessageId, Plan } from '@millrace/core';
import type { JournalTrace } from './journal-trace.ts';
import { traceOfJournal } from './journal-trace.ts';

/** The trace of a finished run from its journal and the bodies that belong to it. */
export async function collectTrace(
  plan: Plan,
  journal: readonly JournalEntry[],
  load: (ids: readonly MessageId[]) => Promise<readonly MessageBody[]>,
): Promise<JournalTrace> {
  const count = journal.reduce((sum, { event }) => sum + (event.bodies ?? 0), 0);
  const ids = Array.from({ length: count }, (_, at): MessageId => `m${at + 1}`);
  const bodies = new Map((await load(ids)).map((body, at) => [ids[at], body]));
  return traceOfJournal(plan, journal, (id) => {
    const body = bodies.get(id);
    if (body === undefined) throw new Error(`the journal never stored message ${id}`);
    return body;
  });
}
