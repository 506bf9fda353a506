import type { JournalEntry } from '@millrace/core';
import { expect, it } from 'vitest';
import { indexAfter } from '../journal/archive/segment.ts';
import { searchEvents } from './search-events.ts';

const commits = 150;
const eventsOfEach = 200;
const event = { type: 'graph.left', scope: 's0' } as const;

/** A journal of long commits that counts how often an id of it is read. */
function countingJournal() {
  let reads = 0;
  const entry = (id: string): JournalEntry => ({
    get id() {
      reads += 1;
      return id;
    },
    at: 0,
    event,
  });
  const ids = Array.from(
    { length: commits * eventsOfEach },
    (_, at) => `${Math.floor(at / eventsOfEach) + 1}-${at % eventsOfEach}`,
  );
  const stored = ids.map((id): JournalEntry => ({ id, at: 0, event }));
  const journal = async (_run: string, after: string, limit: number) => {
    const from = indexAfter(stored, after);
    return ids.slice(from, from + limit).map(entry);
  };
  return { store: { journal }, reads: () => reads };
}

it('returns the newest events before an id without looking at the ids of all that it has read', async () => {
  const { store, reads } = countingJournal();
  const after = `${commits}-3`;

  const { entries } = await searchEvents({ store, run: 'run_1' }, { order: 'newest', after, limit: 5 });
  const looked = reads();

  expect(entries.map(({ id }) => id)).toEqual(['150-2', '150-1', '150-0', '149-199', '149-198']);
  expect(looked).toBeLessThan(commits * eventsOfEach * 0.1);
});
