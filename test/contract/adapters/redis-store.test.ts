import { randomUUID } from 'node:crypto';
import type { Decision, Event, Write } from '@millrace/core';
import { State } from '@millrace/core';
import type { Commit } from '@millrace/runtime';
import { connect, createRedisStore, createShard } from '@millrace/runtime';
import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { storeContract } from '../store/store.ts';

const event: Event = { type: 'graph.left', scope: 's0' };

function commitAt(version: number, decision: Partial<Decision> = {}, before: State = new State()): Commit {
  return {
    run: 'run_1',
    version,
    nonce: version === 0 ? '' : `n${version}`,
    next: `n${version + 1}`,
    at: 1000,
    before,
    decision: { events: [event], writes: [], bodies: [], wakes: [], later: [], settled: [], memory: [], ...decision },
  };
}

/** Waits until a client hangs in a blocking command. */
async function untilBlocked(connection: Redis): Promise<void> {
  while (!(await connection.info('clients')).includes('blocked_clients:1'));
}

describe('with one Redis for all', () => {
  const installation = newInstallation();

  storeContract('in Redis', async () => {
    const prefix = installation.prefix.replace('}', `-${randomUUID()}}`);
    const connections = [connect(installation.url, 'one'), connect(installation.url, 'two')] as const;
    const [store, other] = [
      createRedisStore({ shard: createShard(connections[0], prefix) }),
      createRedisStore({ shard: createShard(connections[1], prefix) }),
    ];
    return {
      store,
      other,
      async close() {
        await Promise.all([store.close(), other.close()]);
        for (const connection of connections) connection.disconnect();
      },
    };
  });
});

describe('with a Redis of its own', () => {
  const server = openBeforeEach(startRedis);
  const connection = openBeforeEach(() => connect(server.url, 'test'));
  const store = openBeforeEach(() => createRedisStore({ shard: createShard(connection) }));

  it('keeps every commit across a crash of Redis, and continues by itself', async () => {
    // With `everysec` Redis delays its writes while a sync of a busy disk is in progress.
    await connection.config('SET', 'appendfsync', 'always');
    const state = new State();
    for (let version = 0; version < 100; version += 1) {
      const writes: Write[] = [{ type: 'append', key: 'recent/s0/A', entries: [version] }];
      await store.commit(commitAt(version, { writes }, state));
      state.apply(writes);
    }
    const following = store.follow('run_1', '101-0', new AbortController().signal);

    await server.kill();
    const meanwhile = store.commit(commitAt(100));
    await server.restart();

    expect(await meanwhile).toEqual({ type: 'committed', version: 101 });
    const loaded = await store.load('run_1');
    expect(loaded?.version).toBe(101);
    expect(loaded?.state.list('recent/s0/A')).toHaveLength(100);
    await store.commit(commitAt(101));
    expect((await following).map(({ id }) => id)).toEqual(['102-0']);
  });

  it('executes a commit before later requests, even in a Redis without the script', async () => {
    const isThere = () => connection.exists('{millrace}:run:run_1:records', '{millrace}:run:run_2:records');

    const [, first] = await Promise.all([store.commit(commitAt(0)), isThere()]);
    await server.kill();
    await server.restart();
    await connection.ping();
    const [, second] = await Promise.all([store.commit({ ...commitAt(0), run: 'run_2' }), isThere()]);

    expect([first, second]).toEqual([1, 2]);
  });

  it('survives that Redis forgets its scripts', async () => {
    await store.commit(commitAt(0));
    await connection.script('FLUSH');

    const results = await Promise.all([store.commit(commitAt(1)), store.commit({ ...commitAt(0), run: 'run_2' })]);

    expect(results.map(({ type }) => type)).toEqual(['committed', 'committed']);
  });

  it('writes nothing of a commit while Redis has no memory for it', async () => {
    await store.commit(commitAt(0));
    await connection.config('SET', 'maxmemory', '1');

    const commit = store.commit(commitAt(1, { writes: [{ type: 'set', key: 'tally/A', value: 1 }] }));
    const meanwhile = await store.journal('run_1', '0', 10);
    await connection.config('SET', 'maxmemory', '0');

    expect(meanwhile).toHaveLength(1);
    expect(await commit).toEqual({ type: 'committed', version: 2 });
  });

  it('accepts a follower that joins while others wait', async () => {
    const { signal } = new AbortController();
    const patient = store.follow('run_quiet', '0', signal);
    await untilBlocked(connection);
    const joining = store.follow('run_1', '0', signal);
    const since = performance.now();

    await store.commit(commitAt(0));

    expect(await joining).toHaveLength(1);
    expect(performance.now() - since).toBeLessThan(1000);
    await store.close();
    expect(await patient).toEqual([]);
  });

  it('uses the clock of Redis', async () => {
    await store.commit(commitAt(0));

    const [seconds, microseconds] = await connection.time();

    expect(Math.abs(store.now() - (Number(seconds) * 1000 + Number(microseconds) / 1000))).toBeLessThan(1000);
    expect(store.durable).toBe(true);
  });

  it('stores records under names that people can guess', async () => {
    await store.commit(
      commitAt(0, {
        writes: [
          { type: 'append', key: 'recent/s0/Writer', entries: [{ id: 'm0' }, { id: 'm1' }] },
          { type: 'append', key: 'kept/s0/Writer', entries: [{ id: 'm2' }] },
          { type: 'set', key: 'counters/s0/Guard', value: { count: 2 } },
          { type: 'set', key: 'timers/s0/Clock', value: 1234 },
        ],
      }),
    );

    const messages = await connection.lrange('{millrace}:run:run_1:context:Writer', 0, -1);
    expect(messages).toEqual(['{"id":"m0"}', '{"id":"m1"}']);
    expect(await connection.hget('{millrace}:run:run_1:records', 'kept/s0/Writer')).toBe('{"id":"m2"}');
    expect(await connection.hget('{millrace}:run:run_1:records', 'counters/s0/Guard')).toBe('{"count":2}');
    expect(await connection.hget('{millrace}:run:run_1:records', 'timers/s0/Clock')).toBe('1234');
    expect(await connection.hget('{millrace}:run:run_1:records', 'version')).toBe('1');
  });
});
