import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createVocabulary } from '@millrace/catalog';
import type { Runtime } from '@millrace/runtime';
import { openRuntime } from '@millrace/runtime';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFailoverLoad } from '../../support/faults/failover-load.ts';
import { openBeforeAll } from '../../support/fixtures.ts';
import type { ClusterNode } from '../../support/redis/redis-cluster.ts';
import { startRedisCluster } from '../../support/redis/redis-cluster.ts';
import { tellRedis } from '../../support/redis/tell-redis.ts';
import { workflowOf } from '../../support/runs/scenario.ts';
import { human } from '../../support/runs/scenarios.ts';
import { waitUntil } from '../../support/waiting.ts';

const vocabulary = createVocabulary();

const cluster = openBeforeAll(() => startRedisCluster({ settings: ['--cluster-require-full-coverage', 'no'] }));

async function otherThan(key: string): Promise<ClusterNode> {
  const owner = await cluster.ownerOf(key);
  const other = cluster.nodes.find(({ id }) => id !== owner.id);
  if (other === undefined) throw new Error('A cluster has several masters.');
  return other;
}

async function open(prefix: string): Promise<Runtime> {
  const runtime = await openRuntime({ redisUrl: cluster.url, prefix }, vocabulary, () => undefined);
  onTestFinished(() => runtime.close());
  return runtime;
}

/** Starts a run that asks a person. */
const ask = ({ runs }: Runtime, run: string) =>
  runs.start({ workflow: workflowOf(human, vocabulary), input: human.input, run });

/** Resolves when a process has an outage whose message matches. */
async function messageOf({ shared }: Runtime, pattern: RegExp): Promise<void> {
  await waitUntil(() => pattern.test(shared?.outages.current()?.message ?? ''));
}

/** Does something over a connection to a node. */
async function onNode<T>({ port }: ClusterNode, act: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis({ port, replyMapping: 'legacy' });
  try {
    return await act(client);
  } finally {
    client.disconnect();
  }
}

const sumOf = (key: string): number => [...key].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);

describe('a slot that was moved by half, and is owned by the node with the other half', () => {
  it.each([
    ['first', true],
    ['last', false],
  ])(
    'stops all work until the move is finished by hand, and loses nothing, when its marker moves %s',
    async (when, isMoved) => {
      const prefix = `{marker-${when}}`;
      const load = await startFailoverLoad({ redisUrl: cluster.url, prefix }, { starters: 2, attendants: 3 });
      onTestFinished(() => load.close());
      await load.untilStarted(40);

      const half = await cluster.halfMoveSlot(`${prefix}:probe`, await otherThan(`${prefix}:probe`), (key) =>
        key === `${prefix}:installation` ? isMoved : sumOf(key) % 2 === 0,
      );
      await load.untilReported(/REDIS_KEYS_MISSING/);
      const fresh = await open(prefix);
      await expect(fresh.shared?.outages.check(5000)).rejects.toMatchObject({
        code: 'REDIS_KEYS_MISSING',
        message: expect.stringMatching(/: \d+ keys of slot \d+ are at 127\.0\.0\.1:\d+\. Try again later\.$/),
      });
      const [left, moved] = await half.keys();
      await half.finish();
      await load.untilStarted(20);
      const outcome = await load.finish();

      expect(moved.length).toBeGreaterThan(20);
      // A key that both nodes have was written beside the other half, and stops MIGRATE.
      expect(left.filter((key) => moved.includes(key))).toEqual([]);
      expect(outcome).toMatchObject({ lost: [], stuck: [], wrong: [], violations: [] });
      expect(outcome.attended).toBeGreaterThan(0);
    },
  );
});

it('continues after redis-cli has mended the slot while all processes were stopped', async () => {
  const prefix = '{mended}';
  const runs = Array.from({ length: 20 }, (_, at) => `run_${at}`);
  const before = await openRuntime({ redisUrl: cluster.url, prefix }, vocabulary, () => undefined);
  for (const run of runs) await ask(before, run);
  await before.close();
  const to = await otherThan(`${prefix}:probe`);
  const half = await cluster.halfMoveSlot(`${prefix}:probe`, to, (key) => sumOf(key) % 2 === 0);

  await promisify(execFile)('redis-cli', ['--cluster', 'fix', `127.0.0.1:${half.from.port}`]);
  const after = await open(prefix);
  await after.shared?.outages.check(5000);

  expect((await half.keys()).filter((keys) => keys.length > 0)).toHaveLength(1);
  for (const run of runs) expect(await after.runs.describe(run)).toMatchObject({ run, status: 'running' });
});

describe('a process whose slot has another owner', () => {
  it('waits for the state of a run that it knows, and not for runs that were removed', async () => {
    const prefix = '{known}';
    const state = `${prefix}:run:kept:records`;
    const [runtime, other] = [await open(prefix), await open(prefix)];
    for (const run of ['kept', 'removed']) await ask(runtime, run);
    await other.runs.cancel('removed', 'unneeded');
    await other.runs.remove('removed');
    const owner = await cluster.ownerOf(`${prefix}:probe`);
    const to = await otherThan(`${prefix}:probe`);
    const dump = await onNode(owner, (client) => client.dumpBuffer(state));

    // The former owner deletes the keys that it still has.
    const { slot } = await cluster.halfMoveSlot(`${prefix}:probe`, to, (key) => key !== state);
    await tellRedis(to.server.url, 'CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
    const described = runtime.runs.describe('kept');
    await messageOf(runtime, /: the state of run kept is not there\.$/);
    await onNode(to, (client) => client.restore(state, 0, dump));

    expect(await described).toMatchObject({ run: 'kept', status: 'running' });
    expect(await runtime.runs.describe('removed')).toBeUndefined();
  });

  it('waits when the cluster was emptied, while one that has begun since then works', async () => {
    const prefix = '{emptied}';
    const before = await open(prefix);
    await ask(before, 'gone');
    await tellRedis((await cluster.ownerOf(`${prefix}:probe`)).server.url, 'FLUSHALL');
    const since = await open(prefix);
    await ask(since, 'new');

    await cluster.moveSlot(`${prefix}:probe`, await otherThan(`${prefix}:probe`));
    const refused = before.shared?.outages.bounded('writes', () => ask(before, 'other'));
    await expect(refused).rejects.toMatchObject({ code: 'REDIS_KEYS_MISSING' });

    await ask(since, 'next');
    expect(await since.runs.describe('new')).toMatchObject({ status: 'running' });
  });
});

it('writes no marker beside keys without one while another master may have the rest', async () => {
  const prefix = '{silent}';
  const before = await openRuntime({ redisUrl: cluster.url, prefix }, vocabulary, () => undefined);
  await ask(before, 'there');
  await before.close();
  const owner = await cluster.ownerOf(`${prefix}:probe`);
  await tellRedis(owner.server.url, 'DEL', `${prefix}:installation`);
  const silent = await otherThan(`${prefix}:probe`);
  await silent.server.freeze();
  const runtime = await open(prefix);

  await expect(runtime.shared?.outages.check(5000)).rejects.toMatchObject({
    code: 'REDIS_KEYS_MISSING',
    message: expect.stringContaining(
      `there is no key ${prefix}:installation, and 127.0.0.1:${silent.port} does not answer`,
    ),
  });
  await silent.server.thaw();

  expect(await runtime.runs.describe('there')).toMatchObject({ run: 'there' });
  expect(await tellRedis(owner.server.url, 'EXISTS', `${prefix}:installation`)).toBe(1);
});
