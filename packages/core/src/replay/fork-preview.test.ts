import { expect, it } from 'vitest';
import type { Event, JournalEntry } from '../engine/records/event.ts';
import { forkHistoryOf, settlementOf } from './fork-preview.ts';

const journalOf = (...events: readonly Event[]): readonly JournalEntry[] =>
  events.map((event, at) => ({ id: `${at + 1}-0`, at: 100 + at, event }));
const sharedOf = (journal: readonly JournalEntry[]) =>
  forkHistoryOf(journal.slice(0, settlementOf(journal, 'a1')), 'a1');
const historyOf = (...events: readonly Event[]): readonly Event[] =>
  sharedOf(journalOf(...events)).entries.map(({ event }) => event);
const files = { node: 'A', frame: 's0', files: [{ path: 'a.txt' }] } as const;
const step: Event = { type: 'step.completed', activation: 'a1', step: 0, result: 'm1' };
const written: Event = { type: 'files.changed', activation: 'a1', step: 0, ...files };
const left: Event = { type: 'files.changed', activation: 'a1', ...files };
const done: Event = { type: 'activation.completed', activation: 'a1', outputs: [], routes: [] };
const failed: Event = { type: 'activation.failed', activation: 'a1', error: { code: 'X', message: 'x' } };
const resumed: Event = { type: 'run.resumed', token: 't', segment: 2 };
const archived: Event = { type: 'journal.archived', to: 1, digest: 'd', messages: 0, activations: 0 };

it('ends before the activation was settled, and returns that time', () => {
  const journal = journalOf(step, done, resumed);

  expect(sharedOf(journal)).toEqual({ entries: journal.slice(0, 1), until: 100 });
});

it('omits files of the settlement, and keeps those of steps', () => {
  expect(historyOf(step, left, done)).toEqual([step]);
  expect(historyOf(step, written, done)).toEqual([step, written]);
});

it('keeps failures that were retried, and ends before one that was not', () => {
  expect(historyOf(failed, resumed, step, done)).toEqual([failed, resumed, step]);
  expect(historyOf(step, failed)).toEqual([step]);
});

it('is complete where the activation was never settled, except for the location of the journal', () => {
  expect(historyOf(step, archived, resumed)).toEqual([step, resumed]);
});
