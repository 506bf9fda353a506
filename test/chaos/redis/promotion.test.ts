import { createVocabulary } from '@millrace/catalog';
import { connect } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { freePort } from '../../support/redis/free-port.ts';
import { startRedis } from '../../support/redis/redis.ts';
import type { Scenario } from '../../support/runs/scenario.ts';
import { undisturbed } from '../../support/runs/scenario.ts';
import { scenarios } from '../../support/runs/scenarios.ts';
import { seeThrough } from '../../support/runs/see-through.ts';
import { openWorkshop } from '../../support/runs/workshop.ts';

const vocabulary = createVocabulary();

it('continues after a failover to a replica that lags behind', async () => {
  const port = await freePort();
  const workshop = await openWorkshop(['--port', `${port}`]);
  const replica = await startRedis(['--replicaof', '127.0.0.1', `${port}`]);
  const promoted = connect(replica.url, 'test');
  await Promise.all([workshop.hire(), workshop.hire()]);
  const runs = await Promise.all(scenarios.map((scenario) => workshop.start(scenario, 150)));
  await workshop.until(runs[0] ?? '', ({ event }) => event.type === 'activation.completed');
  await workshop.connection.wait(1, 10_000);

  // From here on the replica receives nothing.
  await promoted.replicaof('NO', 'ONE');
  const unheard = await workshop.start(scenarios[0] as Scenario, 0); // there are some
  await workshop.until(unheard, ({ event }) => event.type === 'run.finished');
  await workshop.redis.kill();
  workshop.proxy.redirect(replica.url);

  const ended = await Promise.all(
    runs.map((run, at) => seeThrough(workshop.runtime.runs, run, scenarios[at] as Scenario)), // one run for each
  );
  expect(ended).toEqual(await Promise.all(scenarios.map((scenario) => undisturbed(scenario, vocabulary))));
  expect(await workshop.runtime.runs.describe(unheard)).toBeUndefined();
  expect(await workshop.inspect(runs)).toEqual({ violations: [], leftovers: [] });
  promoted.disconnect();
  await workshop.close();
  await replica.stop();
});
