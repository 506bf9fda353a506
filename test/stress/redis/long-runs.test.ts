import { createVocabulary } from '@millrace/catalog';
import type { ActivationId, RunId } from '@millrace/core';
import type { Runtime, TenantRuntime } from '@millrace/runtime';
import { connect, createTenantRuntime, openRuntime } from '@millrace/runtime';
import { beforeAll, describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import type { LongRunSite } from '../../support/runs/long-run.ts';
import { answerAsk, continueRun, failSpeaker, writeLongRun } from '../../support/runs/long-run.ts';

const vocabulary = createVocabulary();
const installation = openBeforeAll(newInstallation);
const directory = directoryBeforeAll();
const connection = openBeforeAll(() => connect(installation.url, 'test'));

const open = (): Promise<Runtime> =>
  openRuntime(
    { redisUrl: installation.url, prefix: installation.prefix, blobs: { type: 'directory', path: directory } },
    vocabulary,
    (message, error) => process.stderr.write(`${message}: ${String(error)}\n`),
  );
const runtime = openBeforeAll(open);
const site = (): LongRunSite => ({ runtime, connection, prefix: installation.prefix, vocabulary });

type Tab = (run: ReturnType<TenantRuntime['run']>) => Promise<unknown>;

/** The first request of each tab of a run. */
const tabs = {
  head: (run) => run.describe('head'),
  graph: (run) => run.graphs(),
  timeline: (run) => run.timeline({ after: 0, limit: 400 }),
  activations: (run) => run.activations({ after: 0, limit: 50 }),
  failed: (run) => run.activations({ after: 0, limit: 50, states: ['failed'] }),
  node: (run) => run.activations({ after: 0, limit: 50, node: 'Ask' }),
  unsettled: (run) => run.activations({ after: 0, limit: 50, states: ['ready', 'working', 'waiting'] }),
  journal: async (run) => run.searchEvents({ order: 'newest', after: (await run.describe())?.seen ?? '', limit: 500 }),
  conversation: async (run) =>
    run.searchEvents({
      order: 'newest',
      after: (await run.describe())?.seen ?? '',
      limit: 500,
      types: ['activation.completed', 'activation.suspended'],
    }),
  scrubber: (run) => run.density(),
  files: (run) => run.artifacts(),
} satisfies Record<string, Tab>;

/** Counts what a process that has not read the run before reads for a request: entries of journals, and archived parts. */
async function readBy(tab: Tab, run: RunId): Promise<{ readonly entries: number; readonly parts: number }> {
  const other = await open();
  const count = { entries: 0, parts: 0 };
  const { store, blobs } = other;
  const [journal, get] = [store.journal, blobs.get];
  Object.assign(store, {
    async journal(...asked: Parameters<typeof journal>) {
      const entries = await journal(...asked);
      count.entries += entries.length;
      return entries;
    },
  });
  Object.assign(blobs, {
    get(...asked: Parameters<typeof get>) {
      count.parts += 1;
      return get.apply(blobs, asked);
    },
  });
  try {
    await tab(createTenantRuntime(other, 'default').run(run));
  } finally {
    await other.close();
  }
  return count;
}

/** Reads to the end. */
async function drain(entries: AsyncIterable<unknown>): Promise<void> {
  for await (const _entry of entries);
}

describe('the first page of each tab', () => {
  const sizes = [4000, 12_000] as const;
  const runs = new Map<number, RunId>();
  beforeAll(async () => {
    for (const size of sizes) runs.set(size, await writeLongRun(site(), size));
  }, 300_000);

  it.each(Object.entries(tabs))(
    '%s reads as much of a run of 12,000 activations as of one of 4,000',
    async (_, tab) => {
      const [long, longer] = [
        await readBy(tab, runs.get(4000) ?? 'run_'),
        await readBy(tab, runs.get(12_000) ?? 'run_'),
      ];

      expect(longer.entries).toBeLessThanOrEqual(long.entries * 1.1 + 500);
      // Halving opens one or two parts more of a run that is three times as long.
      expect(longer.parts).toBeLessThanOrEqual(long.parts + 2);
      expect(longer.entries).toBeLessThan(8000);
    },
  );

  /** What is asked of one settled activation, before the last ones. */
  const details = {
    activation: (run, id) => run.activation(id, 100),
    entries: (run, id) => drain(run.entriesOf(id)),
    calls: (run, id) => run.calls(id),
    files: (run, id) => run.artifacts(id),
    fork: (run, id) => run.previewFork(id),
    around: (run, id) => run.timeline({ after: Number(id.slice(1)) - 20, limit: 40 }),
  } satisfies Record<string, (run: ReturnType<TenantRuntime['run']>, id: ActivationId) => Promise<unknown>>;

  it.each(Object.entries(details))(
    '%s of one activation costs the same deep in a run of any length',
    async (_, read) => {
      const costs = [];
      for (const size of sizes)
        costs.push(await readBy((run) => read(run, `a${size - 600}`), runs.get(size) ?? 'run_'));
      const [long = { entries: 0, parts: 0 }, longer = long] = costs;

      expect(longer.entries).toBeLessThanOrEqual(long.entries + 500);
      expect(longer.parts).toBeLessThanOrEqual(long.parts + 1);
      expect(longer.entries).toBeLessThan(4000);
      expect(longer.parts).toBeLessThan(8);
    },
  );

  it('is forked early without reading what came after', async () => {
    const fork = (size: number) => readBy((run) => run.fork({ at: 'a500' }), runs.get(size) ?? 'run_');
    const [long, longer] = [await fork(4000), await fork(12_000)];

    expect(longer.entries).toBeLessThanOrEqual(long.entries + 500);
    expect(longer.parts).toBeLessThanOrEqual(long.parts + 1);
  });

  it('is folded once for all who look at one activation at the same time', async () => {
    const run = runs.get(4000) ?? 'run_';
    const one = await readBy((read) => read.activation('a3400', 100), run);
    const ten = await readBy(
      (read) => Promise.all(Array.from({ length: 10 }, () => read.activation('a3400', 100))),
      run,
    );

    expect(ten.entries).toBeLessThan(8 * one.entries);
  });

  it('finds activations in the middle of a run by opening few parts of its journal', async () => {
    const { parts } = await readBy((run) => run.timeline({ after: 6000, limit: 400 }), runs.get(12_000) ?? 'run_');

    expect(parts).toBeLessThanOrEqual(6);
  });
});

it('pages through a run while it goes on, without gaps and doubles', async () => {
  const run = await writeLongRun(site(), 1000);
  const ids: string[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page = await createTenantRuntime(runtime, 'default').run(run).activations({ after, limit: 500 });
    ids.push(...(page?.activations.map(({ id }) => id) ?? []));
    after = page?.next;
    if (ids.length < 1100) await continueRun(site(), run, 1000 + ids.length / 10);
  }

  expect(ids).toEqual(ids.map((_, at) => `a${at + 1}`));
  expect(ids.length).toBeGreaterThan(1050);
}, 120_000);

it('reads an activation that settled long after it became ready without what lies between', async () => {
  const costs = [];
  for (const size of [4000, 12_000]) {
    const run = await writeLongRun(site(), size);
    const asked = await answerAsk(site(), run);
    const one = createTenantRuntime(runtime, 'default').run(run);
    expect(await one.activation(asked)).toMatchObject({ state: 'completed', input: [{ text: 'go' }] });
    expect((await one.activations({ after: 0, limit: 50 }))?.activations[1]).toMatchObject({ state: 'completed' });
    const reads = [
      await readBy((read) => read.activation(asked), run),
      await readBy((read) => read.activations({ after: 0, limit: 50 }), run),
      await readBy((read) => drain(read.entriesOf(asked)), run),
    ];
    costs.push(reads.map(({ entries }) => entries));
  }
  const [long = [], longer = []] = costs;

  for (const [at, entries] of longer.entries()) expect(entries).toBeLessThanOrEqual((long[at] ?? 0) + 1000);
}, 300_000);

it('finds the activations of a node without looking at those of others far away', async () => {
  const run = await writeLongRun(site(), 4000);

  const page = await createTenantRuntime(runtime, 'default').run(run).activations({ after: 0, limit: 50, node: 'Ask' });

  expect(page?.activations.map(({ id, node }) => [id, node])).toEqual([['a2', 'Ask']]);
  expect(page?.looked).toBeLessThanOrEqual(500);
  expect(page).not.toHaveProperty('next');
}, 120_000);

it('finds the failed activation of a long run', async () => {
  const run = await writeLongRun(site(), 2000);
  const failed = await failSpeaker(site(), run);

  const page = await createTenantRuntime(runtime, 'default')
    .run(run)
    .activations({ after: 0, limit: 50, states: ['failed'] });

  expect(page?.activations).toMatchObject([{ id: failed, state: 'failed', error: { code: 'SAID_NO' } }]);
  expect(page).toMatchObject({ looked: 1 });
  expect(page).not.toHaveProperty('next');
}, 120_000);
