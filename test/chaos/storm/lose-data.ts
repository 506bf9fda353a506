import { tellRedis } from '../../support/redis/tell-redis.ts';
import type { Fleet } from '../../support/runs/fleet.ts';
import { scenarios } from '../../support/runs/scenarios.ts';

const withinMs = 10_000;

/** Removes all data from a Redis while a client follows a run. Returns what is wrong with the end of the stream, in words. */
export async function loseData(fleet: Fleet): Promise<readonly string[]> {
  const asking = scenarios.find(({ answers }) => answers.length > 0);
  if (asking === undefined) throw new Error('some scenario asks people');
  const run = await fleet.start(asking, 0);
  await fleet.until(run, ({ event }) => event.type === 'activation.suspended');
  const following = fleet
    .until(run, ({ event }) => event.type === 'run.finished')
    .then(
      () => 'an end of the run',
      (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
    );
  const since = performance.now();
  await tellRedis(fleet.redis.url, 'FLUSHALL');
  const end = await following;
  const tookMs = Math.round(performance.now() - since);
  return end === 'RUN_UNKNOWN' && tookMs < withinMs
    ? []
    : [`a client that followed a run which Redis has lost received ${String(end)} after ${tookMs} ms`];
}
