import { setTimeout as sleep } from 'node:timers/promises';
import { createVocabulary } from '@millrace/catalog';
import { expect } from 'vitest';
import { resultWithoutFaults } from '../../support/runs/scenario.ts';
import { map } from '../../support/runs/scenarios.ts';
import { withFleet as it } from '../../support/runs/with-fleet.ts';

it('continues a run by itself after an outage of Redis of more than 15 seconds', async ({ fleet }) => {
  await fleet.startWorker();
  const run = await fleet.start(map, 400);
  const finished = fleet.finish(run, map);
  await fleet.until(run, ({ event }) => event.type === 'step.completed');
  await fleet.redis.kill();
  await sleep(16_000);
  await fleet.redis.restart();

  expect(await finished).toEqual(await resultWithoutFaults(map, createVocabulary()));
  expect(await fleet.inspect([run])).toEqual({ violations: [], leftovers: [] });
});
