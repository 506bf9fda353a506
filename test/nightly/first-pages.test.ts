import { createVocabulary } from '@millrace/catalog';
import type { RunId } from '@millrace/core';
import type { Runtime, TenantRuntime } from '@millrace/runtime';
import { connect, createTenantRuntime, openRuntime } from '@millrace/runtime';
import { beforeAll, expect, it } from 'vitest';
import { cpuMs } from '../support/cpu-ms.ts';
import { directoryBeforeAll, openBeforeAll } from '../support/fixtures.ts';
import { newInstallation } from '../support/redis/installation.ts';
import { writeLongRun } from '../support/runs/long-run.ts';

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

const runs = new Map<number, RunId>();
beforeAll(async () => {
  const site = { runtime, connection, prefix: installation.prefix, vocabulary };
  for (const activations of [200, 200_000]) runs.set(activations, await writeLongRun(site, activations));
}, 600_000);

const tabs: Readonly<Record<string, (run: ReturnType<TenantRuntime['run']>) => Promise<unknown>>> = {
  head: (run) => run.describe('head'),
  graph: (run) => run.graphs(),
  timeline: (run) => run.timeline({ after: 0, limit: 400 }),
  activations: (run) => run.activations({ after: 0, limit: 50 }),
  'failed activations': (run) => run.activations({ after: 0, limit: 50, states: ['failed'] }),
  'activations of a node': (run) => run.activations({ after: 0, limit: 50, node: 'Ask' }),
  journal: async (run) => run.searchEvents({ order: 'newest', after: (await run.describe())?.seen ?? '', limit: 500 }),
  conversation: async (run) =>
    run.searchEvents({
      order: 'newest',
      after: (await run.describe())?.seen ?? '',
      limit: 500,
      types: ['activation.completed', 'activation.suspended'],
    }),
  'costs by node': (run) => run.describe(),
  scrubber: (run) => run.density(),
  files: (run) => run.artifacts(),
};

it.each(Object.entries(tabs))(
  'the first page of the %s of a run takes at most 200 ms, whatever its length',
  async (_, tab) => {
    const costs: number[] = [];
    for (const [, run] of runs) {
      // The code has been compiled, but the process has not seen the run.
      await tab(createTenantRuntime(runtime, 'default').run(runs.get(200) ?? run));
      const other = await open();
      costs.push(await cpuMs(() => tab(createTenantRuntime(other, 'default').run(run))));
      await other.close();
    }

    expect(Math.max(...costs)).toBeLessThanOrEqual(200);
  },
);
