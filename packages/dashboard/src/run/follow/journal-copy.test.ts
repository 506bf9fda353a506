import type { RunEvent, RunHandle } from '@millrace/client';
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
      const data = Array.from({ length: to - from }, (_, at) => ({ id: `1-${from + at}` }) as RunEvent);
      return Promise.resolve({ data, nextCursor: to < count ? String(to) : null });
    },
  });
  return { run: { journal } as unknown as RunHandle, asked: () => asked }; // the part of a run that is asked
}

const load = async (count: number, activations = 1) => {
  const { run, asked } = runOf(count);
  const copy = createJournalCopy(run);
  copy.want();
  await copy.load({ event: `1-${count - 1}`, activations }, new AbortController().signal);
  return { journal: copy.get(), asked: asked() };
};

describe('the journal of a run as the dashboard has it', () => {
  it('is loaded whole with the events that are kept at most', async () => {
    const { journal, asked } = await load(mostEvents);

    expect(journal?.events).toHaveLength(mostEvents);
    expect(asked).toBe(4);
  });

  it('is given up after as few requests when it turns out to be longer', async () => {
    const { journal, asked } = await load(10 * mostEvents);

    expect(journal).toEqual({ events: [], isWhole: false });
    expect(asked).toBe(4);
  });

  it('is not asked for when the number of activations tells that it is longer', async () => {
    expect(await load(10 * mostEvents, mostEvents + 1)).toEqual({ journal: { events: [], isWhole: false }, asked: 0 });
  });
});
