import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createVocabulary } from '@millrace/catalog';
import type { Runtime } from '@millrace/runtime';
import { openRuntime } from '@millrace/runtime';
import { describe, expect, test } from 'vitest';
import type { OutageKind } from '../../support/faults/outage-kinds.ts';
import { outageKinds } from '../../support/faults/outage-kinds.ts';
import type { RunningCommand } from '../../support/processes/millrace.ts';
import { startMillrace } from '../../support/processes/millrace.ts';
import type { RedisServer } from '../../support/redis/redis.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { workflowOf } from '../../support/runs/scenario.ts';
import { waitUntil } from '../../support/waiting.ts';

const vocabulary = createVocabulary();
const chain = (delayMs: number) => `graph:
  id: chain
  nodes:
    - { id: A, type: agent, config: { provider: scripted, name: m, params: { default: { text: said, delay_ms: ${delayMs} } } } }
    - { id: B, type: agent, config: { provider: scripted, name: m, params: { default: { text: said } } } }
  edges: [{ from: A, to: B }]
`;
const workflow = (delayMs: number) =>
  workflowOf({ name: 'chain', input: 'Go.', answers: [], yaml: chain }, vocabulary, delayMs);

const graceMs = 4000;
/** For the process itself. */
const slackMs = 1500;

/** A Redis that goes away, and commands that are stopped meanwhile. */
interface Outage {
  readonly redis: RedisServer;
  readonly runtime: Runtime;
  /** Starts a command that continues until it is stopped, with a grace time of a few seconds, and waits until it says so. */
  started(args: readonly string[], says: RegExp): Promise<RunningCommand>;
}

/** Test with a Redis and processes of its own, so that tests that wait for a grace time run side by side. */
const it = test.extend<{ prepare: (kind: OutageKind) => Promise<Outage> }>({
  prepare: async ({ task: _task }, use) => {
    const closers: (() => Promise<unknown>)[] = [];
    await use(async (kind) => {
      const { stopping, close } = await prepared(kind);
      closers.push(close);
      return stopping;
    });
    await Promise.all(closers.map((close) => close()));
  },
});

async function prepared({ settings }: OutageKind): Promise<{ stopping: Outage; close(): Promise<void> }> {
  const cwd = mkdtempSync(join(tmpdir(), 'millrace-stop-'));
  writeFileSync(join(cwd, 'chain.yaml'), chain(60_000));
  const redis = await startRedis(settings);
  const runtime = await openRuntime({ redisUrl: redis.url }, vocabulary, () => undefined);
  const running: RunningCommand[] = [];
  return {
    stopping: {
      redis,
      runtime,
      async started(args, says) {
        const env = { REDIS_URL: redis.url, MILLRACE_STOP_GRACE: `${graceMs / 1000}s` };
        const one = startMillrace(args, { cwd, env, keepsStdinOpen: args[0] === 'mcp' });
        running.push(one);
        await one.says(says);
        return one;
      },
    },
    async close() {
      await Promise.all(running.map((one) => one.stop('SIGKILL')));
      await runtime.close();
      await redis.stop();
      rmSync(cwd, { recursive: true });
    },
  };
}

/** Stops a command; its exit code, and the milliseconds until its end. */
async function stopped(
  one: RunningCommand,
  signal: 'SIGTERM' | 'SIGINT',
): Promise<{ code: number | null; ms: number }> {
  const since = performance.now();
  one.signal(signal);
  const { code } = await one.ended;
  return { code, ms: performance.now() - since };
}

const kinds = (['is a read-only replica', 'refuses connections', 'is frozen'] as const).map(
  (what): [string, OutageKind] => [what, outageKinds[what]],
);

describe.concurrent('a process', () => {
  it.for(kinds)('ends within the grace time while Redis %s', { timeout: 120_000 }, async ([, kind], { prepare }) => {
    const { redis, runtime, started } = await prepare(kind);
    await runtime.runs.start({ workflow: workflow(60_000), input: 'Go.' });
    const [worker, server, up, idle, run] = await Promise.all([
      started(['worker'], /Working on runs/),
      started(['serve', '--port', '0'], /HTTP API is at/),
      started(['up', '--port', '0'], /Working on runs/),
      started(['worker', '--queues', 'idle'], /Working on runs/),
      started(['run', 'chain.yaml', '--input', 'Go.'], /▶ run_/),
    ]);
    await kind.begin(redis);
    // Processes have noticed the outage or not: a signal may come at any moment.
    await sleep(1500);

    const ends = await Promise.all([
      stopped(worker, 'SIGTERM'),
      stopped(server, 'SIGTERM'),
      stopped(up, 'SIGINT'),
      stopped(idle, 'SIGTERM'),
      stopped(run, 'SIGTERM'),
    ]);
    await kind.end(redis);

    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0, 130]);
    expect(Math.max(...ends.map(({ ms }) => ms))).toBeLessThan(graceMs + slackMs);
  });

  it.for(kinds)(
    'ends within the grace time as an MCP server while Redis %s',
    { timeout: 120_000 },
    async ([, kind], { prepare }) => {
      const { redis, started } = await prepare(kind);
      const mcp = await started(['mcp'], /No worker is running/);
      await kind.begin(redis);

      const { code, ms } = await stopped(mcp, 'SIGTERM');
      await kind.end(redis);

      expect(code).toBe(0);
      expect(ms).toBeLessThan(graceMs + slackMs);
    },
  );

  it.for(['refuses connections', 'is frozen'] as const)(
    'ends within the grace time before its start has finished, as Redis %s',
    { timeout: 120_000 },
    async (what, { prepare }) => {
      const kind = outageKinds[what];
      const { redis, started } = await prepare(kind);
      await kind.begin(redis);
      const waiting = /Waiting until it is back/;
      const commands = [['up', '--port', '0'], ['serve', '--port', '0'], ['worker'], ['mcp']];
      const starting = await Promise.all(commands.map((command) => started(command, waiting)));

      const ends = await Promise.all(starting.map((one) => stopped(one, 'SIGTERM')));
      await kind.end(redis);

      expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
      expect(Math.max(...ends.map(({ ms }) => ms))).toBeLessThan(graceMs + slackMs);
    },
  );

  it.for(kinds)(
    'takes no work after the signal, although Redis, which %s, comes back',
    { timeout: 120_000 },
    async ([, kind], { prepare }) => {
      const { redis, runtime, started } = await prepare(kind);
      // The worker has active work, so it stays until the end of its grace time.
      await runtime.runs.start({ workflow: workflow(60_000), input: 'Go.' });
      const worker = await started(['worker', '--concurrency', '4'], /Working on runs/);
      await waitUntil(async () => (await runtime.queue.loads())[0]?.active === 1);
      await kind.begin(redis);
      await sleep(1500);

      const ending = stopped(worker, 'SIGTERM');
      await sleep(200);
      await kind.end(redis);
      const run = await runtime.runs.start({ workflow: workflow(10), input: 'Go.' });
      const { code, ms } = await ending;

      const events = await runtime.store.journal(run, '0', 100);
      expect(code).toBe(0);
      expect(ms).toBeLessThan(graceMs + slackMs);
      const types = events.map(({ event }) => event.type);
      expect(types).toContain('run.started');
      expect(types).not.toContain('activation.started');
      expect(types).not.toContain('activation.completed');
    },
  );

  it('commits work that ends while it stops, when Redis comes back in time', async ({ prepare }) => {
    const kind: OutageKind = outageKinds['has too few replicas'];
    const { redis, runtime, started } = await prepare(kind);
    const run = await runtime.runs.start({ workflow: workflow(2500), input: 'Go.' });
    const worker = await started(['worker'], /Working on runs/);
    await waitUntil(async () => (await runtime.queue.loads())[0]?.active === 1);
    await kind.begin(redis);

    const ending = stopped(worker, 'SIGTERM');
    await sleep(2800);
    await kind.end(redis);

    expect((await ending).code).toBe(0);
    const types = (await runtime.store.journal(run, '0', 100)).map(({ event }) => event.type);
    expect(types).toContain('activation.completed');
  }, 120_000);
});
