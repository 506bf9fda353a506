import { randomUUID } from 'node:crypto';
import { createDirectReader, createVocabulary } from '@millrace/catalog';
import { readWorkflow } from '@millrace/core';
import type { BatchLine, Runtime, TenantRuntime } from '@millrace/runtime';
import {
  connect,
  createBatches,
  createRedisStore,
  createShard,
  createTenantRuntime,
  openBatches,
  openRuntime,
} from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { BatchJob, RunningBatches } from '../../../packages/orchestrator/src/background/batches/start-batches.ts';
import { startBatches } from '../../../packages/orchestrator/src/background/batches/start-batches.ts';
import { startOutboxRelay } from '../../../packages/orchestrator/src/background/outbox-relay.ts';
import { openBeforeAll } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { openRedisProxy } from '../../support/redis/redis-proxy.ts';
import { waitUntil } from '../../support/waiting.ts';

const yaml = 'graph:\n  id: g\n  nodes: [{ id: L, type: literal, config: { content: hi } }]\n';
const run = { workflow: { yaml }, input: '' };
const waiting = (row: number): BatchLine => ({ row, status: 'waiting', json: JSON.stringify({ input: 'x' }) });
const vocabulary = createVocabulary();
const log = pino({ level: 'silent' });

const installation = newInstallation();
const connection = openBeforeAll(() => connect(installation.url, 'test'));
let prefix: string;
beforeEach(() => {
  prefix = `{batches-${randomUUID()}}`;
});

describe('a row whose run is gone before its end was recorded', () => {
  let runtime: Runtime;
  let tenantRuntime: TenantRuntime;
  beforeEach(async () => {
    runtime = await openRuntime({ redisUrl: installation.url, prefix }, vocabulary, () => undefined);
    tenantRuntime = createTenantRuntime(runtime, 'acme');
    await tenantRuntime.batches.create({ id: 'b_1', run, parallel: 1, total: 2 }, [waiting(1), waiting(2)]);
    onTestFinished(() => runtime.close());
  });

  const closing = <T extends { close(): Promise<void> }>(started: T): T => {
    onTestFinished(() => started.close());
    return started;
  };
  const counts = async () => tenantRuntime.batches.rows.counts(await tenantRuntime.batches.find('b_1'));

  /** Starts the work of an orchestrator for batches, except the relay that reports runs that have ended. */
  function orchestrate(): RunningBatches {
    const jobs = runtime.shared?.jobs;
    if (jobs === undefined) throw new Error('runs live in a Redis here');
    return startBatches({
      runtime,
      jobs: jobs.open<BatchJob>('batches'),
      log,
      reader: createDirectReader(vocabulary),
      assertReachable: async () => undefined,
    });
  }
  const hear = (batches: RunningBatches) =>
    closing(startOutboxRelay({ outbox: runtime.store.outbox, log, handle: (notice) => batches.note(notice) }));

  /** Two rows, one at a time; the first has its run, which ends and is removed. */
  async function loseTheFirst(): Promise<void> {
    await waitUntil(async () => (await counts()).running === 1);
    closing(startWorker({ runtime, vocabulary, concurrency: 4, name: 'test', log }));
    await waitUntil(async () => (await tenantRuntime.run('b_1_1').describe())?.status === 'completed');
    await tenantRuntime.run('b_1_1').remove();
  }

  it('has failed if a person removed it, and the next one starts, when its outbox entry is read', async () => {
    const batches = closing(orchestrate());
    await loseTheFirst();

    hear(batches);

    await waitUntil(async () => (await tenantRuntime.batches.find('b_1')).finishedAt !== undefined);
    expect(await counts()).toMatchObject({ failed: 1, completed: 1, running: 0 });
    const [row] = await tenantRuntime.batches.rows.read(await tenantRuntime.batches.find('b_1'), [1]);
    expect(JSON.parse(row?.note ?? '')).toMatchObject({ attempt: 1, error: { code: 'RUN_UNKNOWN' } });
    await tenantRuntime.batches.remove('b_1');
  });

  it('has failed if a person removed it, and the next one starts, when another server checks it without an outbox entry', async () => {
    const before = orchestrate();
    await loseTheFirst();
    await before.close();
    for (const { id } of await runtime.store.outbox.take(AbortSignal.timeout(60_000))) {
      await runtime.store.outbox.done([id]);
    }

    closing(orchestrate());

    await waitUntil(async () => (await tenantRuntime.run('b_1_2').describe())?.status === 'completed');
    expect(await counts()).toMatchObject({ failed: 1 });
  });

  it('is started again under the same id if the store has lost it', async () => {
    const before = orchestrate();
    await waitUntil(async () => (await counts()).running === 1);
    await before.close();
    const lost = await connection.keys(`${prefix}:*acme~b_1_1*`);
    await connection.unlink(lost);
    // As in a process that did not know the run.
    runtime = await openRuntime({ redisUrl: installation.url, prefix }, vocabulary, () => undefined);
    onTestFinished(() => runtime.close());
    tenantRuntime = createTenantRuntime(runtime, 'acme');
    expect(await tenantRuntime.run('b_1_1').describe()).toBeUndefined();

    hear(closing(orchestrate()));
    closing(startWorker({ runtime, vocabulary, concurrency: 4, name: 'test', log }));

    await waitUntil(async () => (await tenantRuntime.batches.find('b_1')).finishedAt !== undefined);
    expect(await counts()).toMatchObject({ completed: 2, failed: 0 });
    expect(await tenantRuntime.run('b_1_1').describe()).toMatchObject({ status: 'completed' });
  });

  it('is cancelled with its batch when a process died before the row was recorded as running', async () => {
    const { id, making } = await tenantRuntime.batches.find('b_1');
    const { workflow } = readWorkflow({ file: 'flow.yaml', text: yaml }, { vocabulary, mode: 'run' });
    if (workflow === undefined) throw new Error('the workflow is right');
    await tenantRuntime.start({ workflow, input: 'x', run: 'b_1_1', batch: { batch: id, making, row: 1 } });
    await tenantRuntime.batches.change(id, (batch) => ({ ...batch, cancelledAt: 1 }));

    const batches = closing(orchestrate());
    hear(batches);
    await batches.push({ tenant: 'acme', id });

    await waitUntil(async () => (await tenantRuntime.batches.find(id)).finishedAt !== undefined);
    expect(await tenantRuntime.run('b_1_1').describe()).toMatchObject({ status: 'cancelled' });
    expect(await counts()).toMatchObject({ cancelled: 2 });
  });

  it('is cancelled with its batch', async () => {
    const batches = closing(orchestrate());
    await loseTheFirst();

    await tenantRuntime.batches.change('b_1', (batch) => ({ ...batch, cancelledAt: 1 }));
    await batches.push({ tenant: 'acme', id: 'b_1' });

    await waitUntil(async () => (await tenantRuntime.batches.find('b_1')).finishedAt !== undefined);
    expect(await counts()).toMatchObject({ cancelled: 2 });
  });
});

describe('a process that dies during work on a batch', () => {
  const lines = [waiting(1), waiting(2)];
  const done = (row: number): BatchLine => ({ ...waiting(row), status: 'completed' });
  /** Dies with its first request, its second, and so on, each time over a batch of its own, until it is done before it dies. */
  async function dying(
    prepare: (batches: ReturnType<typeof createBatches>, id: string) => Promise<unknown>,
    act: (batches: ReturnType<typeof createBatches>, id: string) => Promise<unknown>,
  ): Promise<readonly string[]> {
    const sound = createBatches(createRedisStore({ shard: createShard(connection, prefix) }), 'acme');
    const ids: string[] = [];
    for (let isOver = false; !isOver; ) {
      const id = `b${ids.length + 1}`;
      ids.push(id);
      await prepare(sound, id);
      const proxy = await openRedisProxy(installation.url);
      const own = connect(proxy.url, 'test');
      const store = createRedisStore({ shard: createShard(own, prefix) });
      await own.ping();
      const dead = proxy.endAt(ids.length, 'passed on');
      const acting = act(createBatches(store, 'acme'), id);
      isOver = await Promise.race([acting.then(() => true), dead.then(() => false)]);
      // What it still waits for never comes.
      acting.catch(() => undefined);
      own.disconnect();
      await proxy.close();
    }
    expect(ids.length).toBeGreaterThan(5);
    return ids;
  }

  /** Returns what the next server finds after `afterMs`: open batches, all batches, row keys and row counts. */
  async function look(afterMs: number) {
    const store = createRedisStore({ shard: createShard(connection, prefix) });
    const open: string[] = [];
    for await (const { id } of openBatches({ ...store, now: () => store.now() + afterMs })) open.push(id);
    const batches = createBatches(store, 'acme');
    const rowKeys = () => connection.keys(`${prefix}:v4:batch:*`);
    const there = await batches.list('', 1000);
    return {
      open,
      there,
      rowKeys: await rowKeys(),
      counts: await Promise.all(there.map((batch) => batches.rows.counts(batch))),
      /** Removes all batches and returns the row keys and the entries of open batches that remain. */
      async removeAll() {
        for (const { id } of there) {
          await batches.change(id, (batch) => ({ ...batch, finishedAt: 1 }));
          await batches.remove(id);
        }
        const listed = await store.registry.page('open-batches', '', 1000);
        return [...(await rowKeys()), ...listed.map(({ id }) => id)];
      },
    };
  }

  it('at its creation leaves all of it, or nothing after the cleanup', async () => {
    const ids = await dying(
      async () => undefined,
      (batches, id) => batches.create({ id, run, parallel: 1, total: 2 }, lines),
    );

    const early = await look(0);
    expect(early.open.length).toBeLessThan(ids.length);
    const late = await look(2 * 60 * 60_000);
    expect(late.open).toContain(ids.at(-1));
    expect(late.rowKeys.length).toBeLessThan(early.rowKeys.length);
    for (const counts of late.counts) expect(counts).toMatchObject({ waiting: 2 });
    expect(await late.removeAll()).toEqual([]);
  });

  it('at its creation leaves no row to a shorter one of the same id', async () => {
    const store = createRedisStore({ shard: createShard(connection, prefix) });
    await store.rows.put('acme~again~0c8f5ad31b2e', [waiting(1), waiting(2), waiting(3)]);

    const batches = createBatches(store, 'acme');
    await batches.create({ id: 'again', run, parallel: 1, total: 2 }, lines);

    expect(await batches.rows.counts(await batches.find('again'))).toMatchObject({ waiting: 2 });
  });

  it('at its removal leaves one that can be removed, or nothing', async () => {
    await dying(
      (batches, id) => batches.create({ id, run, parallel: 1, total: 2 }, [done(1), done(2)]),
      async (batches, id) => {
        await batches.change(id, (batch) => ({ ...batch, finishedAt: 1 }));
        await batches.remove(id);
      },
    );

    const next = await look(0);
    const unfinished = next.there.filter(({ finishedAt }) => finishedAt === undefined).map(({ id }) => id);
    expect(next.open.toSorted()).toEqual(unfinished.toSorted());
    expect(await next.removeAll()).toEqual([]);
  });
});
