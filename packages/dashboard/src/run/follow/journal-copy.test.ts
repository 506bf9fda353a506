import type { RunEvent, RunGraphs, RunHandle } from '@millrace/client';
import { noModelUsage } from '@millrace/core/usage';
import { describe, expect, it } from 'vitest';
import { createJournalCopy, mostEvents } from './journal-copy.ts';

/** A run of so many events, all of one commit, and the number of pages that were requested. */
function runOf(count: number): { readonly run: RunHandle; readonly asked: () => number } {
  let asked = 0;
  const journal = (_after?: string, { limit = 0 }: { readonly limit?: number } = {}) => ({
    page(cursor = '0') {
      asked += 1;
      const from = Number(cursor);
      const to = Math.min(count, from + limit);
      const data = Array.from({ length: to - from }, (_, at) => ({ id: `1-${from + at}`, event: {} }) as RunEvent);
      return Promise.resolve({ data, nextCursor: to < count ? String(to) : null });
    },
  });
  const state = {
    event: `1-${count - 1}`,
    at: 0,
    status: 'running',
    graphs: [],
    budget: null,
    activations: 7,
    usage: noModelUsage,
  };
  const graph = () => Promise.resolve(state as unknown as RunGraphs); // the parts that a projection needs
  return { run: { journal, graph } as unknown as RunHandle, asked: () => asked }; // the part of a run that is asked
}

const eventAt = (at: number) => ({ id: `1-${at}`, at, event: { type: 'run.paused' } }) as unknown as RunEvent;

const load = async (count: number, activations = 1) => {
  const { run, asked } = runOf(count);
  const copy = createJournalCopy(run);
  copy.want();
  await copy.load({ event: `1-${count - 1}`, activations }, new AbortController().signal);
  return { copy, journal: copy.get(), asked: asked() };
};

describe('the journal of a run as the dashboard has it', () => {
  it('is loaded whole with the events that are kept at most', async () => {
    const { journal, asked } = await load(mostEvents);

    expect(journal).toMatchObject({ isWhole: true, events: { length: mostEvents } });
    expect(asked).toBe(4);
  });

  it('is given up after as few requests when it turns out to be longer', async () => {
    const { journal, asked } = await load(10 * mostEvents);

    expect(journal).toMatchObject({
      isWhole: false,
      event: `1-${10 * mostEvents - 1}`,
      projection: { activations: 7 },
    });
    expect(asked).toBe(4);
  });

  it('is not asked for when the number of activations tells that it is longer', async () => {
    expect(await load(10 * mostEvents, mostEvents + 1)).toMatchObject({ journal: { isWhole: false }, asked: 0 });
  });

  it.each([mostEvents, 10 * mostEvents])(
    'ignores events that it has, and adds those after them (%i events)',
    async (count) => {
      const { copy, journal } = await load(count);

      copy.add([eventAt(count - 2), eventAt(count - 1)]);
      expect(copy.get()).toBe(journal);
      copy.add([eventAt(count - 1), eventAt(count)]);

      expect(copy.get()).toMatchObject({
        isWhole: false,
        event: `1-${count}`,
        last: { id: `1-${count}` },
        projection: { status: 'paused', at: count },
      });
    },
  );
});
