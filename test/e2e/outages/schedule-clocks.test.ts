import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { skewedBy } from '../../support/faults/skewed.ts';
import { ask } from '../../support/http/http.ts';
import type { RunningServer } from '../../support/processes/millrace.ts';
import { startServer } from '../../support/processes/millrace.ts';
import { newInstallation } from '../../support/redis/installation.ts';

const greeting = 'graph:\n  id: greeting\n  nodes:\n    - { id: A, type: literal, config: { content: hello } }\n';
const minutes = 60_000;

const redis = newInstallation();

/** Starts servers of one installation, which are killed at the end of a test at the latest. */
const serving =
  (prefix: string, onTestFinished: (close: () => void) => void) =>
  async (skewMs: number): Promise<RunningServer> => {
    const env = { REDIS_URL: redis.url, MILLRACE_PREFIX: prefix, ...skewedBy(skewMs) };
    const server = await startServer(['serve', '--port', '0'], { env });
    onTestFinished(() => server.signal('SIGKILL'));
    return server;
  };

const schedule = ({ url }: RunningServer) =>
  ask(`${url}/v1/schedules`, { id: 's', cron: '* * * * * *', run: { workflow: { yaml: greeting } } });

/** The times of the ticks that have started runs, in seconds, oldest first. */
async function ticksOf({ url }: RunningServer): Promise<readonly number[]> {
  const { body } = await ask(`${url}/v1/runs?tag=schedule:s&limit=200`);
  return (body['data'] as { runId: string }[]) // the contract's
    .map(({ runId }) => runId.replace(/^tick_s_(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'))
    .map((time) => Date.parse(time) / 1000)
    .sort((a, b) => a - b);
}

async function ticksAfter(server: RunningServer, second: number, count: number): Promise<readonly number[]> {
  for (;;) {
    const ticks = await ticksOf(server);
    if (ticks.filter((tick) => tick > second).length >= count) return ticks;
    await sleep(50);
  }
}

async function end(...servers: readonly RunningServer[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop('SIGKILL')));
}

/** Each second from the first tick to the last one. */
const eachSecond = (ticks: readonly number[]) => ticks.map((_, n) => (ticks[0] ?? 0) + n);

// Ticks come once a second, so the tests mostly wait.
describe.concurrent('a schedule follows the clock of Redis', () => {
  it.for<readonly [string, number]>([
    ['ahead', 10 * minutes],
    ['behind', -10 * minutes],
  ])('when the clock of a server is %s, and that server dies', async ([, skewMs], { onTestFinished }) => {
    const serve = serving(`clocks-${randomUUID()}`, onTestFinished);
    const began = Math.floor(Date.now() / 1000);
    const skewed = await serve(skewMs);
    await schedule(skewed);
    const first = await ticksAfter(skewed, began, 2);

    await end(skewed);
    const other = await serve(0);
    const ticks = await ticksAfter(other, first.at(-1) ?? 0, 3);

    await end(other);
    expect(ticks).toEqual(eachSecond(ticks));
    expect(ticks[0]).toBeGreaterThan(began);
    expect(ticks.at(-1)).toBeLessThanOrEqual(Date.now() / 1000);
  });

  it('once for each time, when clocks are hours apart', async ({ onTestFinished }) => {
    const serve = serving(`clocks-${randomUUID()}`, onTestFinished);
    const began = Math.floor(Date.now() / 1000);
    const servers = await Promise.all([serve(60 * minutes), serve(-60 * minutes), serve(0)]);
    const [ahead, behind, right] = servers;
    await schedule(behind);
    const first = await ticksAfter(ahead, began, 3);

    await end(ahead);
    await end(right);
    const ticks = await ticksAfter(behind, first.at(-1) ?? 0, 4);

    await end(behind);
    expect(ticks).toEqual(eachSecond(ticks));
    expect(ticks[0]).toBeGreaterThan(began);
    expect(ticks.at(-1)).toBeLessThanOrEqual(Date.now() / 1000);
  });
});
