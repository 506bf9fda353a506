import type { RunEvent } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import { countedDensity, densityOf } from '../scrubber/density.ts';
import { activationStep, commitOf, endOfCommit, eventsUpTo, isAfter, markOf, placeAfter } from './place.ts';

const event = (id: string, type: string, at = 0) =>
  ({ id, at, event: { type, wait: { kind: 'human' } } }) as unknown as RunEvent; // all that is read
const journal = [
  event('1-0', 'run.started'),
  event('1-1', 'activation.ready'),
  event('2-0', 'activation.started'),
  event('9-0', 'activation.suspended'),
  event('10-0', 'activation.completed'),
];

describe('a place in a journal', () => {
  it.each([
    ['1-0', 1],
    ['1-1', 2],
    ['9-0', 4],
    ['10-0', 5],
    ['3-0', 3],
    ['0-0', 1],
    ['11-0', 5],
  ])('%s covers %i events, those of missing ids up to there included', (id, count) => {
    expect(eventsUpTo(journal, id)).toBe(count);
  });

  it('moves by activations: to each that becomes ready or settles', () => {
    expect(activationStep(journal, 2, 1)).toBe(5);
    expect(activationStep(journal, 5, -1)).toBe(2);
    expect(activationStep(journal, 2, -1)).toBe(1);
  });
});

describe('the overview of a journal', () => {
  it('has at most so many bars, with the mark that matters most in each', () => {
    const long = Array.from({ length: 1_000 }, (_, at) =>
      event(`${at}-0`, at === 500 ? 'activation.failed' : at === 501 ? 'cycle.iterated' : 'step.started', at),
    );

    const bars = densityOf(long, 100);

    expect(bars).toHaveLength(100);
    expect(bars.flatMap(({ mark }) => mark ?? [])).toEqual(['failed']);
    expect(Math.max(...bars.map(({ height }) => height))).toBe(1);
  });

  it('has no bars for no events, and one for each of a few', () => {
    expect(densityOf([], 100)).toEqual([]);
    expect(densityOf(journal, 100).map(({ mark }) => mark)).toEqual(journal.map(markOf));
  });

  it('is made of the counts of the server for a long journal', () => {
    const none = [0, 0, 0, 0, 0];
    const counted = {
      event: '300-0',
      at: 500,
      commits: 64,
      from: [0, 100, 200, 300, 400],
      events: [100, 400, 100, 100, 100],
      failures: [0, 1, 0, 0, 0],
      questions: [0, 1, 1, 0, 0],
      pauses: none,
      iterations: [0, 0, 0, 0, 3],
    };

    expect(countedDensity(counted)).toEqual([
      { height: 0.5, mark: undefined },
      { height: 1, mark: 'failed' },
      { height: 0.5, mark: 'question' },
      { height: 0.5, mark: undefined },
      { height: 0.5, mark: 'iteration' },
    ]);
    const turning = countedDensity({ ...counted, iterations: [3, 3, 3, 3, 3] });
    expect(turning.map(({ mark }) => mark)).toEqual([undefined, 'failed', 'question', undefined, undefined]);
  });
});

it.each([
  ['12-3', '12-4'],
  ['1-0', '1-1'],
  [endOfCommit(7), endOfCommit(7)],
])('the place after %s is %s, which is an id that the API accepts', (id, expected) => {
  expect(placeAfter(id)).toBe(expected);
  expect(placeAfter(id)).toMatch(/^\d{1,15}-\d{1,15}$/);
});

it('orders events by their commits and their numbers in them', () => {
  expect(['2-0', '10-0', '10-2'].map(commitOf)).toEqual([2, 10, 10]);
  expect(isAfter('10-0', '9-5')).toBe(true);
  expect(isAfter('10-2', '10-10')).toBe(false);
  expect(isAfter('10-2', '10-2')).toBe(false);
});
