import { setTimeout as sleep } from 'node:timers/promises';
import { createVocabulary } from '@millrace/catalog';
import { expect } from 'vitest';
import { inWorkshop as it } from '../../support/runs/in-workshop.ts';
import { undisturbed } from '../../support/runs/scenario.ts';
import { map } from '../../support/runs/scenarios.ts';

it('continues a run by itself after an outage of Redis of more than 15 seconds', async ({ workshop }) => {
  await workshop.hire();
  const run = await workshop.start(map, 400);
  const finished = workshop.finish(run, map);
  await workshop.until(run, ({ event }) => event.type === 'step.completed');
  await workshop.redis.kill();
  await sleep(16_000);
  await workshop.redis.restart();

  expect(await finished).toEqual(await undisturbed(map, createVocabulary()));
  expect(await workshop.inspect([run])).toEqual({ violations: [], leftovers: [] });
});
