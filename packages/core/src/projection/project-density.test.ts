import { expect, it } from 'vitest';
import type { Event, JournalEntry } from '../engine/records/event.ts';
import { beginDensity, maxDensityBars, projectDensity } from './project-density.ts';

const entry = (id: string, at: number, event: object = { type: 'step.started' }): JournalEntry => ({
  id,
  at,
  event: event as Event, // only the type is read
});

const sum = (column: readonly number[]): number => column.reduce((total, count) => total + count, 0);

it('has a bar for each commit of a short journal', () => {
  const density = beginDensity();
  const asks = { type: 'activation.suspended', wait: { kind: 'human' } };
  const listens = { type: 'activation.suspended', wait: { kind: 'event' } };
  for (const one of [
    entry('1-0', 5),
    entry('1-1', 5, { type: 'run.paused' }),
    entry('2-0', 9, asks),
    entry('4-0', 12, listens),
  ])
    projectDensity(density, one);

  expect(density).toEqual({
    commits: 1,
    from: [5, 9, 12, 12],
    events: [2, 1, 0, 1],
    failures: [0, 0, 0, 0],
    questions: [0, 1, 0, 0],
    iterations: [0, 0, 0, 0],
    pauses: [1, 0, 0, 0],
  });
});

it('joins bars when the journal outgrows them, and counts each event once', () => {
  const density = beginDensity();
  for (let commit = 1; commit <= 10_000; commit += 1) {
    projectDensity(density, entry(`${commit}-0`, commit));
    if (commit % 100 === 0) projectDensity(density, entry(`${commit}-1`, commit, { type: 'activation.failed' }));
  }

  expect(density.commits).toBe(64);
  expect(density.from).toHaveLength(Math.ceil(10_000 / 64));
  expect(density.from.slice(0, 3)).toEqual([1, 65, 129]);
  expect(sum(density.events)).toBe(10_100);
  expect(sum(density.failures)).toBe(100);
  expect(density.failures.slice(0, 4)).toEqual([0, 1, 0, 1]);
});

it('covers a journal that begins at a late commit', () => {
  const density = beginDensity();
  projectDensity(density, entry('1000000-0', 7));

  expect(density.from.length).toBeLessThanOrEqual(maxDensityBars);
  expect(sum(density.events)).toBe(1);
});
