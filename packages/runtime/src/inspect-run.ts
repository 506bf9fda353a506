import type { JournalEntry, RunId, Vocabulary, Workflow } from '@millrace/core';
import { compile } from '@millrace/core';
import type { AuditedRun, Violation } from './audit.ts';
import { agendaErrors, auditRun } from './audit.ts';
import type { Store } from './store/port.ts';

/** What an inspection of a run came to. */
export type Inspection =
  | { readonly type: 'inspected'; readonly violations: readonly Violation[]; readonly mended: number }
  /** It went on all the while, so that there was no moment to look at it. */
  | { readonly type: 'busy' }
  /** There is no such run, or its workflow is gone. */
  | { readonly type: 'absent' };

/** What inspecting takes. */
export interface InspectOptions {
  readonly store: Store;
  readonly vocabulary: Vocabulary;
  /** Puts the agenda right where it is wrong, so that the caretaker finds what was lost; everything else is only told. */
  readonly mend?: true;
}

/** How often a run that goes on meanwhile is looked at again. */
const attempts = 20;
const page = 1000;

/** Looks at a stored run while others may work on it: see {@link auditRun} for what must hold. */
export async function inspectRun(run: RunId, { store, vocabulary, mend }: InspectOptions): Promise<Inspection> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const audited = await stillOf(run, store, vocabulary);
    if (audited === undefined) return { type: 'absent' };
    if (audited === 'moved') continue;
    const violations = auditRun(audited);
    const { missing, needless } = agendaErrors(audited);
    const mended = mend ? missing.length + needless.length : 0;
    if (mended > 0) await store.mendAgenda({ missing, needless });
    return { type: 'inspected', violations, mended };
  }
  return { type: 'busy' };
}

/** The run as of one moment; `moved` when somebody has committed while it was read. */
async function stillOf(run: RunId, store: Store, vocabulary: Vocabulary): Promise<AuditedRun | 'moved' | undefined> {
  const loaded = await store.load(run);
  const hash = loaded?.state.get('run')?.plan;
  const json = hash === undefined ? undefined : await store.loadPlan(hash);
  if (loaded === undefined || json === undefined) return undefined;
  const { version, nonce } = loaded;
  const journal = await wholeJournal(store, run);
  const agenda = (await store.agenda()).filter((due) => due.run === run);
  const since = await store.since({ run, version, nonce });
  if (since.type !== 'committed') return 'moved';
  const plan = compile(JSON.parse(json) as Workflow, vocabulary); // stored under its hash, after validation
  return { run, plan, ...loaded, journal, agenda };
}

async function wholeJournal(store: Store, run: RunId): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for (;;) {
    const next = await store.journal(run, entries.at(-1)?.id ?? '0', page);
    if (next.length === 0) return entries;
    for (const entry of next) entries.push(entry);
  }
}
