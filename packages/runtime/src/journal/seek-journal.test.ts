import type { Event, JournalEntry } from '@millrace/core';
import { expect, it } from 'vitest';
import { placeOfReady, seekJournal } from './seek-journal.ts';

const warning = (at: number): Event => ({ type: 'warning.raised', code: 'W', message: String(at) }) as unknown as Event;
const ready = (at: number) => ({ type: 'activation.ready', activation: `a${at}`, scope: 's0' }) as unknown as Event;

/** A journal of 100,000 commits with one event each, which counts the entries that are read of it. */
function longJournal(eventAt: (version: number) => Event) {
  let read = 0;
  const store = {
    async journal(_run: string, after: string, limit: number): Promise<JournalEntry[]> {
      const from = Number.parseInt(after, 10) + 1;
      const to = Math.min(from + limit, 100_001);
      const entries = Array.from({ length: Math.max(0, to - from) }, (_, at) => ({
        id: `${from + at}-0`,
        at: 0,
        event: eventAt(from + at),
      }));
      read += entries.length;
      return entries as JournalEntry[];
    },
  };
  return { search: { store, run: 'run_1' } as const, read: () => read };
}

it('finds a position shortly before the event that made an activation ready', async () => {
  const { search, read } = longJournal(ready);

  const place = await placeOfReady(search, 'a70000');

  expect(Number.parseInt(place, 10)).toBeLessThan(70_000);
  expect(Number.parseInt(place, 10)).toBeGreaterThanOrEqual(69_000 - 1000);
  expect(read()).toBeLessThan(5000);
});

it('reads a bounded part of a journal without a matching event', async () => {
  const { search, read } = longJournal(warning);

  expect(await seekJournal(search, () => undefined)).toBe('0');

  expect(read()).toBeLessThan(1200);
});
