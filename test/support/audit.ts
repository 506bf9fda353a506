import type { JournalEntry, RunId, Vocabulary, Workflow } from '@millrace/core';
import { compile } from '@millrace/core';
import type { Store, Violation } from '@millrace/runtime';
import { auditRun } from '@millrace/runtime';

/** What is wrong with a run in a store while nobody works on it; empty when all is well. */
export async function audit(store: Store, run: RunId, vocabulary: Vocabulary): Promise<readonly Violation[]> {
  const loaded = await store.load(run);
  const hash = loaded?.state.get('run')?.plan;
  const json = hash === undefined ? undefined : await store.loadPlan(hash);
  if (loaded === undefined || json === undefined) throw new Error(`run ${run} or its plan is not stored`);
  const plan = compile(JSON.parse(json) as Workflow, vocabulary); // as it was stored
  const agenda = (await store.agenda()).filter((wake) => wake.run === run);
  return auditRun({ run, plan, ...loaded, journal: await journalOf(store, run), agenda });
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
