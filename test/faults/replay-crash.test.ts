import { expect, it } from 'vitest';
import { openBeforeEach } from '../support/fixtures.ts';
import { map } from '../support/runs/scenarios.ts';
import { openWorkshop } from '../support/runs/workshop.ts';

const workshop = openBeforeEach(openWorkshop);

it('has the same result when its worker is killed in the middle of a replay', async () => {
  const first = await workshop.hire();
  const run = await workshop.start(map, 0);
  const expected = await workshop.finish(run, map);

  const replay = await workshop.runtime.runs.replay(run);
  await workshop.until(replay, ({ event }) => event.type === 'step.started');
  await first.kill();
  await workshop.hire();

  expect(await workshop.finish(replay, map)).toEqual(expected);
  expect((await workshop.runtime.runs.describe(replay))?.usage.calls).toBe(0);
  expect(await workshop.inspect([run, replay])).toEqual({ violations: [], leftovers: [] });
});
