import type { ActivationId, ArchivedSegment, JournalEntry } from '@millrace/core';
import { expect, it } from 'vitest';
import { entriesAbout } from './entries-about.ts';

/** Versions in each of three archived parts; the window has 40 to 49. */
const parts: readonly ArchivedSegment[] = [
  { to: 9, digest: 'one', messages: 0, activations: 5, earlier: [] },
  { to: 19, digest: 'two', messages: 0, activations: 9, earlier: ['a5'] },
  { to: 29, digest: 'three', messages: 0, activations: 9, earlier: ['a2'] },
  { to: 39, digest: 'four', messages: 0, activations: 9 },
];
const versions = Array.from({ length: 49 }, (_, at) => at + 1);
const partOf = (version: number): number => parts.findIndex(({ to }) => version <= to);

/** A journal whose pages end where archived parts do. */
const store = {
  async journal(_run: string, after: string, limit: number): Promise<readonly JournalEntry[]> {
    const following = versions.filter((version) => version > Number.parseInt(after, 10));
    const [first = 0] = following;
    const page = following.filter((version) => partOf(version) === partOf(first)).slice(0, limit);
    return page.map((version) => ({ id: `${version}-0`, at: 0, event: { type: 'cycle.advanced', scope: 's1' } }));
  },
};

async function versionsAbout(after: string, wanted: readonly ActivationId[] | undefined): Promise<readonly number[]> {
  const now = { state: { list: () => parts } } as never; // the only list that is read
  const found: number[] = [];
  const ids = wanted && new Set(wanted);
  for await (const { id } of entriesAbout({ store, run: 'run_1', now }, after, () => ids))
    found.push(Number.parseInt(id, 10));
  return found;
}

const from = (first: number, to = 49) => versions.filter((version) => version >= first && version <= to);

it('yields everything while everything is wanted', async () => {
  expect(await versionsAbout('0', undefined)).toEqual(from(1));
});

it('leaves out parts without events of the wanted activations, but no part that names none, and not the window', async () => {
  expect(await versionsAbout('0', ['a2'])).toEqual(from(20));
  expect(await versionsAbout('0', ['a5'])).toEqual([...from(10, 19), ...from(30)]);
  expect(await versionsAbout('0', ['a1'])).toEqual(from(30));
});

it('ends a part that it has begun', async () => {
  expect(await versionsAbout('5-0', ['a1'])).toEqual([...from(6, 9), ...from(30)]);
});
