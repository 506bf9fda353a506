import { createVocabulary } from '@millrace/catalog';
import { connect } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { freePort } from '../../support/redis/free-port.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { openFleet } from '../../support/runs/fleet.ts';
import type { Scenario } from '../../support/runs/scenario.ts';
import { driveRunByPolling, resultWithoutFaults } from '../../support/runs/scenario.ts';
import { scenarios } from '../../support/runs/scenarios.ts';

const vocabulary = createVocabulary();

it('continues after a failover to a replica that lags behind', async () => {
  const port = await freePort();
  const fleet = await openFleet(['--port', `${port}`]);
  const replica = await startRedis(['--replicaof', '127.0.0.1', `${port}`]);
  const promoted = connect(replica.url, 'test');
  await Promise.all([fleet.startWorker(), fleet.startWorker()]);
  const runs = await Promise.all(scenarios.map((scenario) => fleet.start(scenario, 150)));
  await fleet.until(runs[0] ?? '', ({ event }) => event.type === 'activation.completed');
  await fleet.connection.wait(1, 10_000);

  // From here on the replica receives nothing.
  await promoted.replicaof('NO', 'ONE');
  const unheard = await fleet.start(scenarios[0] as Scenario, 0); // there are some
  await fleet.until(unheard, ({ event }) => event.type === 'run.finished');
  await fleet.redis.kill();
  fleet.proxy.redirect(replica.url);

  const ended = await Promise.all(
    runs.map((run, at) => driveRunByPolling(fleet.runtime.runs, run, scenarios[at] as Scenario)), // one run for each
  );
  expect(ended).toEqual(await Promise.all(scenarios.map((scenario) => resultWithoutFaults(scenario, vocabulary))));
  expect(await fleet.runtime.runs.describe(unheard)).toBeUndefined();
  expect(await fleet.inspect(runs)).toEqual({ violations: [], leftovers: [] });
  promoted.disconnect();
  await fleet.close();
  await replica.stop();
});
