import { expect, it } from 'vitest';
import { openBeforeEach } from '../support/fixtures.ts';
import { openFleet } from '../support/runs/fleet.ts';
import { map } from '../support/runs/scenarios.ts';

const fleet = openBeforeEach(openFleet);

it('has the same result when its worker is killed in the middle of a replay', async () => {
  const first = await fleet.startWorker();
  const run = await fleet.start(map, 0);
  const expected = await fleet.finish(run, map);

  const replay = await fleet.runtime.runs.replay(run);
  await fleet.until(replay, ({ event }) => event.type === 'step.started');
  await first.kill();
  await fleet.startWorker();

  expect(await fleet.finish(replay, map)).toEqual(expected);
  expect((await fleet.runtime.runs.describe(replay))?.usage.calls).toBe(0);
  expect(await fleet.inspect([run, replay])).toEqual({ violations: [], leftovers: [] });
});
