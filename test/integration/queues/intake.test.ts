import { createHash, randomUUID } from 'node:crypto';
import { createVocabulary } from '@millrace/catalog';
import { RequestError } from '@millrace/core';
import { startIntake } from '@millrace/orchestrator/intake';
import type { Intake, RefusedJob, Runtime } from '@millrace/runtime';
import { connect, createShard, createTenantRuntime, openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { Job, Queue } from 'bullmq';
import { pino } from 'pino';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { createBullIntake } from '../../../packages/runtime/src/adapters/bullmq/bull-intake.ts';
import type { IntakeJob, IntakeResult } from '../../../packages/runtime/src/ports/jobs.ts';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { waitUntil } from '../../support/waiting.ts';

const yaml = (content: string) => `
graph:
  id: hello
  nodes: [{ id: Say, type: literal, config: { content: ${content} } }]
`;
const vocabulary = createVocabulary();
const log = pino({ level: 'silent' });

const redis = openBeforeAll(startRedis);
let prefix: string;
let runtime: Runtime;
let intake: Intake;
/** As another service would have it: it knows the address, the prefix and the name. */
let theirs: Queue;
beforeEach(async () => {
  prefix = `{intake-${randomUUID()}}`;
  runtime = await openRuntime({ redisUrl: redis.url, prefix }, vocabulary, () => undefined);
  ({ intake } = runtime);
  theirs = new Queue('millrace-intake', { connection: { url: redis.url }, prefix });
  onTestFinished(() => runtime.close());
  onTestFinished(() => theirs.close());
});

function serve(): void {
  const worker = startWorker({ runtime, vocabulary, concurrency: 4, name: 'test', log });
  const consumer = startIntake({ runtime, vocabulary, name: 'test', log });
  onTestFinished(() => worker.close());
  onTestFinished(() => consumer.close());
}

const result = ({ id = '' }: Job): Promise<unknown> =>
  waitUntil(async () => {
    const job = await theirs.getJob(id);
    return job?.returnvalue;
  });

const refused = async (): Promise<readonly RefusedJob[]> =>
  waitUntil(async () => {
    const jobs = await intake.refused(0, 10);
    return jobs.length > 0 && jobs;
  });

it('starts a run for a job that was added before any process started, under an id derived from the job', async () => {
  const job = await theirs.add('anything', { workflow: { yaml: yaml('hi') }, tags: ['t'] }, { jobId: 'order-4711' });

  serve();
  const runId = `run_${createHash('sha256').update('default/order-4711').digest('hex').slice(0, 32)}`;
  expect(await result(job)).toEqual({ runId, tenant: 'default' });
  await waitUntil(async () => (await runtime.runs.describe(runId))?.status === 'completed');
  expect(await runtime.runs.describe(runId)).toMatchObject({
    workflow: 'hello',
    tags: ['t'],
    origin: { type: 'intake', of: 'order-4711' },
    outputs: { Say: 'hi' },
  });
});

it('starts a run of the tenant that a job names, and one run for jobs with one id', async () => {
  serve();
  const data = { workflow: { yaml: yaml('hi') }, tenant: 'acme' };
  const add = () => theirs.add('run', data, { jobId: 'twice', removeOnComplete: true });
  const taken = () => waitUntil(async () => (await theirs.getJob('twice')) === undefined);
  await add();
  await taken();
  await add();
  await taken();

  const { runs } = await runtime.runs.list({ tenant: 'acme', limit: 10 });
  expect(runs.map(({ run }) => run)).toEqual([expect.stringMatching(/^acme~run_/)]);
  expect((await runtime.runs.list({ limit: 10 })).runs).toEqual([]);
});

it.each([
  ['a text', 'nonsense', /INTAKE_INVALID/],
  ['a field that there is not', { workflow: 'a', colour: 'red' }, /INTAKE_INVALID.*colour/s],
  ['no workflow', {}, /^INTAKE_INVALID: The data of the job is invalid: \/workflow: is missing\.$/],
  ['a tenant that cannot be', { workflow: 'a', tenant: 'A B' }, /must be the name of a tenant/],
  ['a workflow that nobody has published', { workflow: 'nobody-has' }, /WORKFLOW_UNKNOWN/],
  ['a workflow with a mistake', { workflow: { yaml: 'graph: { id: g }' } }, /graph\.nodes/],
])('keeps a job that has %s with the reason, and does not retry it', async (_what, data, reason) => {
  serve();
  await theirs.add('run', data, { jobId: 'wrong', attempts: 100 });

  const [job] = await refused();

  expect(job).toMatchObject({
    id: 'wrong',
    data,
    reason: expect.stringMatching(reason),
    refusedAt: expect.any(Number),
  });
  expect((await Job.fromId(theirs, 'wrong'))?.attemptsMade).toBe(1);
});

it('retries and drops refused jobs on request', async () => {
  serve();
  await theirs.add('run', { workflow: 'later', runId: 'mine' }, { jobId: 'early' });
  await theirs.add('run', { workflow: 'never' }, { jobId: 'wrong' });
  await waitUntil(async () => (await intake.refused(0, 10)).length === 2);
  await createTenantRuntime(runtime, 'default').workflows.publish('later', { yaml: yaml('at last'), by: 'test' });

  expect([await intake.retry('early'), await intake.drop('wrong')]).toEqual([true, true]);
  await waitUntil(async () => (await runtime.runs.describe('mine'))?.status === 'completed');
  expect(await intake.refused(0, 10)).toEqual([]);
  expect([await intake.retry('early'), await intake.drop('wrong')]).toEqual([false, false]);
});

it('delays jobs while Redis is nearly full, and takes them when there is memory', async () => {
  const connection = connect(redis.url, 'test');
  onTestFinished(async () => connection.disconnect());
  // So much that a tenth of it is room for a test.
  await connection.setrange('ballast', 40_000_000, 'x');
  onTestFinished(async () => {
    await connection.config('SET', 'maxmemory', '0');
    await connection.del('ballast');
  });
  const used = Number(/used_memory:(\d+)/.exec(await connection.info('memory'))?.[1]);
  await connection.config('SET', 'maxmemory', String(Math.round(used * 1.05)));
  serve();
  const job = await theirs.add('run', { workflow: { yaml: yaml('hi') } }, { jobId: 'patient' });
  await waitUntil(() => job.isDelayed());
  expect(await intake.refused(0, 10)).toEqual([]);

  await connection.config('SET', 'maxmemory', '0');

  expect(await result(job)).toMatchObject({ tenant: 'default' });
});

it('delays jobs while contents cannot be stored, and takes them afterwards', async () => {
  let starts = 0;
  const startIfAbsent: Runtime['runs']['startIfAbsent'] = async (request) => {
    starts += 1;
    if (starts === 1) throw new RequestError('S3_UNREACHABLE', 'The store of contents cannot be reached.');
    return runtime.runs.startIfAbsent(request);
  };
  const away = { ...runtime, runs: { ...runtime.runs, startIfAbsent } };
  const consumer = startIntake({ runtime: away, vocabulary, name: 'test', log });
  onTestFinished(() => consumer.close());
  const job = await theirs.add('run', { workflow: { yaml: yaml('hi') } }, { jobId: 'patient' });

  expect(await result(job)).toMatchObject({ tenant: 'default' });
  expect(starts).toBe(2);
});

/** Takes jobs by a function of the test's, without long rests. */
function takeBy(take: (job: IntakeJob) => Promise<IntakeResult>): Intake {
  const connection = connect(redis.url, 'test');
  const own = createBullIntake({
    shard: createShard(connection, prefix),
    now: Date.now,
    delayMs: 1,
    onError: () => undefined,
  });
  own.consume(take, { name: 'test' });
  onTestFinished(async () => connection.disconnect());
  onTestFinished(() => own.close());
  return own;
}

it('refuses a job that has failed five times, whatever its delays, and allows five more attempts on request', async () => {
  let deliveries = 0;
  let failures = 0;
  const own = takeBy(async () => {
    if (++deliveries <= 6) return { type: 'later', reason: 'REDIS_FULL' };
    failures += 1;
    throw new Error('a hiccup');
  });
  await theirs.add('run', {}, { jobId: 'unlucky' });

  expect(await refused()).toMatchObject([{ id: 'unlucky', reason: 'a hiccup' }]);
  expect(failures).toBe(5);
  expect(await own.retry('unlucky')).toBe(true);
  await waitUntil(() => failures >= 6);
  await refused();
  expect(failures).toBe(10);
});

it('reports each problem once, however often it occurs', async () => {
  const connection = connect(redis.url, 'test');
  const heard: string[] = [];
  const own = createBullIntake({
    shard: createShard(connection, prefix),
    now: Date.now,
    onError: ({ message }) => heard.push(message),
  });
  for (let time = 0; time < 3; time++) await own.refused(0, 1);

  own.queue().emit('error', new Error('trouble'));

  expect(heard).toEqual(['trouble']);
  await own.close();
  connection.disconnect();
});

it('uses only the keys of its queue in Redis', async () => {
  const connection = connect(redis.url, 'test');
  onTestFinished(async () => connection.disconnect());
  await connection.call(
    'ACL',
    'SETUSER',
    'put',
    'on',
    '>secret',
    `~${prefix}:millrace-intake:*`,
    '+@all',
    '-@dangerous',
    '+info',
  );
  const narrow = new Queue('millrace-intake', {
    connection: { path: redis.url.replace('unix://', ''), username: 'put', password: 'secret' },
    prefix,
  });
  onTestFinished(() => narrow.close());
  serve();

  expect(await result(await narrow.add('run', { workflow: { yaml: yaml('hi') } }, { jobId: 'narrow' }))).toBeDefined();
});
