import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Answered } from '../support/http.ts';
import { ask } from '../support/http.ts';
import type { Running } from '../support/millrace.ts';
import { millrace, startMillrace } from '../support/millrace.ts';
import type { OutageKind } from '../support/outage-kinds.ts';
import { outageKinds } from '../support/outage-kinds.ts';
import { startRedis } from '../support/redis.ts';
import { startRedisPair } from '../support/redis-pair.ts';

/** A chain of agents that takes a few seconds, so that it is at work when something happens. */
const names = Array.from({ length: 8 }, (_, at) => `N${at}`);
const chain = `graph:
  id: chain
  nodes:
${names.map((id) => `    - { id: ${id}, type: agent, config: { provider: scripted, name: m, params: { default: { text: said, delay_ms: 400 } } } }`).join('\n')}
  edges:
${names
  .slice(1)
  .map((id, at) => `    - { from: N${at}, to: ${id} }`)
  .join('\n')}
`;

let cwd = '';
let closers: (() => unknown)[] = [];

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'millrace-outage-'));
  writeFileSync(join(cwd, 'chain.yaml'), chain);
});

afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
  rmSync(cwd, { recursive: true });
});

interface Serving {
  readonly url: string;
  readonly processes: readonly Running[];
  start(): Promise<Answered>;
}

/** A server and a worker, each in a process of its own. */
async function serving(redisUrl: string): Promise<Serving> {
  const env = { REDIS_URL: redisUrl };
  const server = startMillrace(['serve', '--port', '0'], { cwd, env });
  const worker = startMillrace(['worker'], { cwd, env });
  const processes = [server, worker];
  closers.push(async () => {
    for (const one of processes) one.signal('SIGKILL');
    await Promise.all(processes.map(({ ended }) => ended));
  });
  const [, url = ''] = await server.says(/HTTP API is at (\S+)/);
  await worker.says(/Working on runs/);
  return { url, processes, start: () => ask(`${url}/v1/runs`, { workflow: { yaml: chain }, input: 'Go.' }) };
}

/** Starts a run and waits until one of its nodes has been worked on. */
async function underWay({ url, start }: Serving): Promise<string> {
  const { body } = await start();
  const id = String(body['runId']);
  while (((await ask(`${url}/v1/runs/${id}`)).body['activations'] as number) < 2) await pause(50);
  return id;
}

/** Asks until it is answered so; the milliseconds that took, and all answers before. */
async function until(status: number, asking: () => Promise<Answered>): Promise<{ ms: number; before: Answered[] }> {
  const before: Answered[] = [];
  const began = performance.now();
  for (;;) {
    const answered = await asking();
    if (answered.status === status) return { ms: performance.now() - began, before };
    before.push(answered);
    await pause(100);
  }
}

/** Ends the processes politely, and gives what each has said in one string. */
async function linesOf({ processes }: Serving): Promise<readonly string[][]> {
  for (const one of processes) one.signal('SIGTERM');
  const ended = await Promise.all(processes.map((one) => one.ended));
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  return ended.map(({ stderr }) => stderr.split('\n').filter((line) => line !== ''));
}

it('goes on within ten seconds after a failover while connections stay open', async () => {
  const pair = await startRedisPair();
  closers.push(() => pair.stop());
  const api = await serving(pair.proxy.url);
  const run = await underWay(api);

  await pair.failOver();
  const { ms, before } = await until(201, api.start);
  const ended = await ask(`${api.url}/v1/runs/${run}?wait=30s`);

  expect(ms).toBeLessThan(10_000);
  for (const { status, headers, body } of before) {
    expect([status, body['code'], headers.get('retry-after')]).toEqual([503, 'REDIS_READONLY', '1']);
  }
  expect(ended.body).toMatchObject({ status: 'completed', usage: { calls: names.length } });
  for (const lines of await linesOf(api)) {
    expect(lines.join('\n')).toMatch(/REDIS_READONLY\][\s\S]*Redis is back after/);
    expect(lines.join('\n')).not.toMatch(/^\s+at /m);
    expect(lines.length).toBeLessThan(20);
  }
}, 60_000);

/** A job stays with a worker that gives no sign of life for five seconds. */
const longerThanALockMs = 6000;
const lasting: ReadonlySet<string> = new Set(['is a read-only replica', 'is frozen']);

it.each(Object.entries<OutageKind>(outageKinds))(
  'waits with work in hand, and answers 503, while Redis %s',
  async (what, kind) => {
    const redis = await startRedis(kind.settings);
    closers.push(() => redis.stop());
    const api = await serving(redis.url);
    const run = await underWay(api);

    await kind.begin(redis);
    const ready = await until(503, () => ask(`${api.url}/readyz`));
    const refused = await api.start();
    if (lasting.has(what)) await pause(longerThanALockMs);
    const still = await api.start();
    await kind.end(redis);
    const again = await until(201, api.start);
    const ended = await ask(`${api.url}/v1/runs/${run}?wait=30s`);

    expect(ready.ms).toBeLessThan(5000);
    for (const { status, headers, body } of [refused, still]) {
      expect([status, body['code'], headers.get('retry-after')]).toEqual([503, kind.code, '1']);
      expect(headers.get('content-type')).toContain('application/problem+json');
    }
    expect(again.ms).toBeLessThan(10_000);
    expect(ended.body).toMatchObject({ status: 'completed', usage: { calls: names.length } });
    for (const lines of await linesOf(api)) {
      expect(lines.join('\n')).not.toMatch(/^\s+at |INTERNAL/m);
      expect(lines.length).toBeLessThan(20);
    }
  },
  60_000,
);

it.each(['is a read-only replica', 'has too few replicas', 'has no memory left'] as const)(
  'ends a command with exit code 5 while Redis %s',
  async (what) => {
    const kind = outageKinds[what];
    const redis = await startRedis();
    closers.push(() => redis.stop());
    await kind.begin(redis);

    const env = { REDIS_URL: redis.url };
    const started = await millrace(['run', 'chain.yaml', '--input', 'Go.', '--json'], { cwd, env });
    const listed = await millrace(['runs'], { cwd, env });

    expect(started).toMatchObject({ code: 5, stderr: expect.stringContaining(`[${kind.code}]`) });
    expect(JSON.parse(started.stdout)).toMatchObject({ error: { exit: 5, code: kind.code } });
    expect(started.stderr).not.toMatch(/bug|^\s+at /m);
    expect(listed.code).toBe(0);
  },
);
