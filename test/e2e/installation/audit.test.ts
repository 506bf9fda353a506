import { createVocabulary } from '@millrace/catalog';
import { connect, openRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { command } from '../../support/processes/command.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { workflowOf } from '../../support/runs/scenario.ts';
import { chain, human } from '../../support/runs/scenarios.ts';

const vocabulary = createVocabulary();

const redis = openBeforeEach(startRedis);
const runtime = openBeforeEach(() => openRuntime({ redisUrl: redis.url }, vocabulary, () => undefined));

const audit = (...args: string[]) => command(['audit', ...args], { REDIS_URL: redis.url });
const start = () => runtime.runs.start({ workflow: workflowOf(chain, vocabulary), input: 'x' });

it('reports consistent runs without workers as sound', async () => {
  await Promise.all([start(), runtime.runs.start({ workflow: workflowOf(human, vocabulary), input: 'x' })]);

  const { code, stderr } = await audit();

  expect(stderr).toContain('2 runs looked at, 2 of them sound.');
  expect(code).toBe(0);
});

it('reports missing entries of the agenda, repairs them, and then reports the run as sound', async () => {
  const run = await start();
  const connection = connect(redis.url, 'test');
  await connection.del('{millrace}:v4:agenda');
  connection.disconnect();

  const found = await audit();
  expect(found).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(new RegExp(`${run} AGENDA_DIFFERS .*is missing`)),
  });
  const repaired = await audit('--repair');
  expect(repaired).toMatchObject({ code: 0, stdout: expect.stringContaining('1 entries were put right') });
  expect(await audit(run)).toMatchObject({ code: 0, stdout: '' });
});

/** Place of the number of live activations among the numbers of a run. */
const liveAt = 4;

it('prints with --json the records that differ from the journal', async () => {
  const run = await start();
  const connection = connect(redis.url, 'test');
  const key = `{millrace}:run:${run}:records`;
  const counts = JSON.parse((await connection.hget(key, 'counts')) ?? '') as number[];
  await connection.hset(key, 'counts', JSON.stringify(counts.with(liveAt, 7)));
  connection.disconnect();

  const { code, stdout } = await audit('--json', '--repair');

  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject([
    { run, type: 'inspected', violations: [{ code: 'FOLD_DIFFERS', subject: 'run' }, { code: 'COUNT_DIFFERS' }] },
  ]);
});

it('ends with 3 for an unknown run, and does not count it', async () => {
  expect(await audit(await start(), 'run_none')).toEqual({
    code: 3,
    stdout: 'run_none is not there\n',
    stderr: expect.stringContaining('1 run looked at, 1 of them sound.'),
  });
});

it('ends with 1 when runs are listed whose data is missing, and counts them', async () => {
  const [lost, ended] = [await start(), await start()];
  await runtime.runs.cancel(ended, 'enough');
  const connection = connect(redis.url, 'test');
  await connection.del(`{millrace}:run:${lost}:records`, `{millrace}:run:${ended}:records`);
  connection.disconnect();

  const found = await audit('--all');

  expect(found).toEqual({
    code: 1,
    stdout: `${lost} is not there\n${ended} is not there\n`,
    stderr: expect.stringContaining(
      '0 runs looked at, 0 of them sound. The data of 2 more runs that are listed is missing.',
    ),
  });
});

it('reports what it has checked, and checks ended runs with --all', async () => {
  const run = await start();
  await runtime.runs.cancel(run, 'enough');

  const some = await audit();
  const all = await audit('--all', '--json');

  expect(some.stderr).toContain('0 runs looked at, 0 of them sound.');
  expect(some.stderr).toContain(
    'the runs started without a tenant that have not ended (--all: those that have ended, too)',
  );
  expect(JSON.parse(all.stdout)).toEqual([{ run, type: 'inspected', violations: [], mended: 0 }]);
  expect((await audit('--all', '--tenant', 'acme')).stderr).toContain('all runs of tenant acme');
});
