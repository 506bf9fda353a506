import type { JournalEntry, MessageId } from '@millrace/core';
import { expect, it } from 'vitest';
import { takePart } from './archive-part.ts';

/** Commits with so many messages each, with an event without messages in between. */
const journalOf = (...messages: readonly number[]): readonly JournalEntry[] =>
  messages.flatMap((bodies, at): JournalEntry[] => [
    { id: `${at + 1}-0`, at, event: { type: 'cycle.advanced', scope: 's1', bodies } },
    { id: `${at + 1}-1`, at, event: { type: 'cycle.advanced', scope: 's1' } },
  ]);

/** Returns the part of a journal whose messages have 1,000 characters each, and how often messages were read. */
async function taken(entries: readonly JournalEntry[], most: number) {
  const asked: (readonly MessageId[])[] = [];
  const part = await takePart(
    {
      entries,
      before: 7,
      async read(ids) {
        asked.push(ids);
        return ids.map(() => ({ role: 'user', content: 'x'.repeat(972) }));
      },
    },
    most,
  );
  return { entries: part.entries.map(({ id }) => id), bodies: part.bodies.map(({ id }) => id), asked };
}

it('has all commits whose messages are short, read together', async () => {
  const { entries, bodies, asked } = await taken(journalOf(1, 0, 2), 3000);

  expect(entries).toEqual(['1-0', '1-1', '2-0', '2-1', '3-0', '3-1']);
  expect(bodies).toEqual(['m8', 'm9', 'm10']);
  expect(asked).toEqual([['m8', 'm9', 'm10']]);
});

it('ends with a whole commit before its messages are too long', async () => {
  const { entries, bodies } = await taken(journalOf(1, 2, 1), 2999);

  expect(entries).toEqual(['1-0', '1-1']);
  expect(bodies).toEqual(['m8']);
});

it('has one commit at least, and reads no more of the others than a page', async () => {
  const { entries, bodies, asked } = await taken(journalOf(2500, 4000), 10_000);

  expect(entries).toEqual(['1-0', '1-1']);
  expect(bodies).toHaveLength(2500);
  expect(asked.flat().length).toBeLessThanOrEqual(6500);
});

it('is empty without events', async () => {
  expect(await taken([], 10)).toEqual({ entries: [], bodies: [], asked: [] });
});
