import { expect, it } from 'vitest';
import type { Event, EventOf, JournalEntry } from '../engine/records/event.ts';
import { givenEvents, settlementOf } from './fork-preview.ts';

type WaitOf = EventOf<'activation.suspended'>['wait'];

const journalOf = (...events: readonly Event[]): readonly JournalEntry[] =>
  events.map((event, at) => ({ id: `${at + 1}-0`, at: 100 + at, event }));
const historyOf = (...events: readonly Event[]): readonly Event[] =>
  events.slice(0, settlementOf(journalOf(...events), 'a1'));
const files = { node: 'A', frame: 's0', files: [{ path: 'a.txt' }] } as const;
const step: Event = { type: 'step.completed', activation: 'a1', step: 0, result: 'm1' };
const written: Event = { type: 'files.changed', activation: 'a1', step: 0, ...files };
const left: Event = { type: 'files.changed', activation: 'a1', ...files };
const done: Event = { type: 'activation.completed', activation: 'a1', outputs: [], routes: [] };
const failed: Event = { type: 'activation.failed', activation: 'a1', error: { code: 'X', message: 'x' } };
const resumed: Event = { type: 'run.resumed', token: 't', segment: 2 };

it('omits files of the settlement, and keeps those of steps', () => {
  expect(historyOf(step, left, done)).toEqual([step]);
  expect(historyOf(step, written, done)).toEqual([step, written]);
});

it('keeps failures that were retried, and ends before one that was not', () => {
  expect(historyOf(failed, resumed, step, done)).toEqual([failed, resumed, step]);
  expect(historyOf(step, failed)).toEqual([step]);
});

it('is complete where the activation was never settled', () => {
  expect(historyOf(step, resumed)).toEqual([step, resumed]);
});

it('omits the event that a wait was given, and keeps the end of its time', () => {
  const wait = { kind: 'event', event: { name: 'e', filter: {} } } as unknown as WaitOf;
  const waits: Event = { type: 'activation.suspended', activation: 'a1', wait };
  const answer = { id: 'm1', role: 'user', source: 'e' } as const;
  const given: Event = { type: 'activation.answered', activation: 'a1', answer, token: 't' };

  expect([...givenEvents(journalOf(waits, given), 'a1')]).toEqual(['2-0']);
  expect([...givenEvents(journalOf(waits, { ...given, bodies: 1 }), 'a1')]).toEqual([]);
  expect([...givenEvents(journalOf(given, step), 'a1')]).toEqual([]);
});
