import { createVocabulary } from '@millrace/catalog';
import type { RunEvent } from '@millrace/client';
import type { JournalEntry } from '@millrace/core';
import { compile, Draft, evolve, State } from '@millrace/core';
import { createEntryReader } from '../../packages/runtime/src/events/read-events.ts';
import type { Golden } from './golden.ts';

/** Returns a recorded journal as its readers get it. Its messages are not recorded, so it lacks the beginnings of theirs. */
export async function published({ workflow, journal }: Golden): Promise<readonly RunEvent[]> {
  const plan = compile(workflow, createVocabulary());
  const state = new State();
  for (const { at, event } of journal) {
    const draft = new Draft(state);
    evolve({ plan, draft, at }, event);
    state.apply(draft.writes());
  }
  const after = (id: string) => journal.findIndex((one) => one.id === id) + 1;
  const store = {
    journal: (_run: string, id: string, limit: number): Promise<readonly JournalEntry[]> =>
      Promise.resolve(journal.slice(after(id), after(id) + limit)),
    heads: (_run: string, ids: readonly string[]) => Promise.resolve(ids.map(() => undefined)),
  };
  const blobs = {
    has: () => Promise.resolve(false),
    read: () => Promise.reject(new Error('a recorded journal has no blobs')) as never, // it is never called
  };
  return createEntryReader({ store, blobs }, 'run_golden', { plan, state })(journal);
}
