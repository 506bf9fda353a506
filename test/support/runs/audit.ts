import type { JournalEntry, RunId, Vocabulary } from '@millrace/core';
import type { Store, Violation } from '@millrace/runtime';
import { inspectRun } from '@millrace/runtime';

/** Returns the violations of a run in a store while no worker executes it; empty if there are none. */
export async function audit(store: Store, run: RunId, vocabulary: Vocabulary): Promise<readonly Violation[]> {
  const inspection = await inspectRun(run, { store, vocabulary });
  if (inspection.type !== 'inspected') throw new Error(`run ${run} is ${inspection.type}`);
  return inspection.violations;
}

/** The whole journal of a run. */
export async function journalOf(store: Store, run: RunId): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for (;;) {
    const next = await store.journal(run, entries.at(-1)?.id ?? '0', 1000);
    if (next.length === 0) return entries;
    entries.push(...next);
  }
}
