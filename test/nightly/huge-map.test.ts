import { connect } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../support/fixtures.ts';
import { longestTurn } from '../support/longest-turn.ts';
import { startRedis } from '../support/redis/redis.ts';
import type { Stage } from '../support/runs/stage.ts';
import { openStage, workflowIn } from '../support/runs/stage.ts';

const units = 200_000;
/** Time within which such a run ends, in milliseconds. */
const patience = 3_600_000;
/** Several times what was measured: on a busy machine a turn has the time of other processes in it, and so has a command. */
const longestMs = 500;

const redis = openBeforeAll(startRedis);
const blobs = directoryBeforeAll();
const connection = openBeforeAll(() => connect(redis.url, 'test'));

/** Runs a map of so many units and a node that gets all of their results; returns the units that were joined. */
async function runMap({ runtime: { runs }, vocabulary }: Stage): Promise<number> {
  const workflow = workflowIn(
    `graph:
  id: lines
  nodes:
    - {id: Text, type: passthrough, config: {}}
    - {id: Line, type: passthrough, config: {}}
    - {id: Join, type: passthrough, config: {}}
  edges:
    - {from: Text, to: Line, dynamic: {type: map, config: {split_type: lines, max_parallel: 1000}}}
    - {from: Line, to: Join}
`,
    vocabulary,
  );
  const input = Array.from({ length: units }, (_, at) => `unit ${at}`).join('\n');
  const run = await runs.start({ workflow, input });
  let joined = 0;
  for await (const { event } of runs.watch(run, '0', AbortSignal.timeout(patience))) {
    if (event.type === 'units.joined') joined += event.units;
  }
  expect((await runs.describe(run))?.status).toBe('completed');
  return joined;
}

async function longestCommandMs(): Promise<number> {
  const entries = (await connection.slowlog('GET', 1024)) as (readonly unknown[])[]; // id, time, microseconds, …
  return entries.reduce((longest, [, , microseconds]) => Math.max(longest, Number(microseconds)), 0) / 1000;
}

it('holds up neither its worker nor Redis with 200,000 units', { timeout: patience }, async () => {
  const stage = await openStage({ where: { redisUrl: redis.url, blobs: { type: 'directory', path: blobs } } });
  await connection.config('SET', 'slowlog-log-slower-than', '10000', 'slowlog-max-len', '1024');
  await connection.config('RESETSTAT');
  const running = runMap(stage);
  const turnMs = await longestTurn(running);
  const joined = await running;
  const stats = await connection.info('everything');
  const commands = Number(/^total_commands_processed:(\d+)/m.exec(stats)?.[1]);
  await stage.close();

  expect(joined).toBe(units);
  expect(turnMs).toBeLessThan(longestMs);
  expect(await longestCommandMs()).toBeLessThan(longestMs);
  expect(commands / units).toBeLessThan(45);
  // A command that lists all messages of the run stops Redis for a tenth of a second each time.
  expect(stats).not.toMatch(/^cmdstat_hkeys:/m);
});

it('does not hold up a process that keeps runs in memory', { timeout: patience }, async () => {
  const stage = await openStage({ where: { local: true } });
  const running = runMap(stage);
  const turnMs = await longestTurn(running);
  const joined = await running;
  await stage.close();

  expect(joined).toBe(units);
  expect(turnMs).toBeLessThan(longestMs);
});
