import type { RunId } from '@millrace/core';
import { hasEnded, RequestError } from '@millrace/core';
import { fold } from '../audit/audit.ts';
import type { RunCache } from '../commit/run-cache.ts';
import type { ArchiveFile } from '../journal/archive/archive-file.ts';
import { readJournal } from '../journal/read-journal.ts';
import type { ArchivedRun } from '../maintenance/retention/archived-run.ts';
import { readArchivedRun, unreadable } from '../maintenance/retention/archived-run.ts';
import type { Store } from '../ports/store/port.ts';
import { saveDefinition } from '../resources/definition-text.ts';
import type { Ancestor } from './ancestor.ts';

/** Returns a run of the store. Throws RequestError when there is no such run. */
export async function storedAncestor(cache: RunCache, store: Store, run: RunId): Promise<Ancestor> {
  const cached = await cache.known(run);
  return {
    run,
    state: cached.state,
    plan: await cache.planOf(cached),
    journal: () => readJournal(store, run, '0'),
    bodies: async (ids) => (ids.length === 0 ? [] : store.bodies(run, ids)),
  };
}

/**
 * Returns a run from the file that it was archived to when it was removed; stores its workflow and the text of that again.
 * Throws RequestError.
 */
export async function archivedAncestor(cache: RunCache, store: Store, file: ArchiveFile): Promise<Ancestor> {
  const archived = await readArchivedRun(file);
  const { run, entries, bodies, definition } = archived;
  const { plan, state } = await finalState(cache, file, archived);
  await saveDefinition(store, definition);
  return {
    run,
    state,
    plan,
    async *journal() {
      yield* entries;
    },
    bodies: async (ids) =>
      ids.map((id) => {
        const body = bodies.get(id);
        if (body === undefined) throw unreadable(file, `it does not hold message ${id}`);
        return body;
      }),
  };
}

/** Returns the final state of the run. */
async function finalState(cache: RunCache, file: ArchiveFile, { workflow, entries }: ArchivedRun) {
  try {
    const { plan } = await cache.plans.load(await cache.plans.save(workflow));
    const state = fold(plan, entries);
    const record = state.get('run');
    if (record !== undefined && hasEnded(record)) return { plan, state };
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw unreadable(file, error instanceof Error ? error.message : String(error));
  }
  throw unreadable(file, 'its journal ends before the run does');
}
