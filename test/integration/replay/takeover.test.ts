import { createVocabulary } from '@millrace/catalog';
import type { AgendaItem, RunId } from '@millrace/core';
import { agendaItemId, State, textMessage } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { connect, openRuntime, startCaretaker } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Keys } from '../../../packages/runtime/src/store/keys.ts';
import { createKeys, listOf } from '../../../packages/runtime/src/store/keys.ts';
import type { RedisServer } from '../../support/redis/redis.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { audit } from '../../support/runs/audit.ts';
import { workflowIn } from '../../support/runs/stage.ts';

const vocabulary = createVocabulary();
const asks = 'config: { description: What shall it be? }';
const question = workflowIn(`graph: { id: question, nodes: [{ id: Ask, type: human, ${asks} }] }`, vocabulary);
const echo = workflowIn('graph: { id: echo, nodes: [{ id: A, type: passthrough, config: {} }] }', vocabulary);
const log = pino({ level: 'silent' });

const [own, first, second] = [createKeys(), createKeys('{millrace}', 1), createKeys('{millrace}', 2)];

let redis: RedisServer;
let connection: Redis;
let runtime: Runtime;
let reports: string[];

beforeEach(async () => {
  redis = await startRedis();
  connection = connect(redis.url, 'test');
  reports = [];
  const report = (message: string) => void reports.push(message);
  runtime = await openRuntime({ redisUrl: redis.url }, vocabulary, report);
});
afterEach(async () => {
  await runtime.close();
  connection.disconnect();
  await redis.stop();
});

const takeover = () => {
  if (runtime.takeover === undefined) throw new Error('runs in Redis can be taken over');
  return runtime.takeover;
};

/** Leaves a run as a build of an earlier format does: where such builds look, and on their agenda. */
async function leaveInFormat(before: Keys, run: RunId): Promise<readonly AgendaItem[]> {
  const dues = (await runtime.store.agenda()).filter((due) => due.run === run);
  const { state: records } = own.run(run);
  const state = (await runtime.store.load(run))?.state ?? new State();
  const multi = connection
    .multi()
    .hset(records, { run: JSON.stringify(state.get('run')), format: before.format })
    .hdel(records, 'counts');
  for (const [key, entries] of state.lists) {
    const place = listOf(own.run(run), key);
    multi.hset(records, key, '').del(place);
    for (const entry of entries) multi.rpush(place, JSON.stringify(entry));
  }
  if (before.format === 1) multi.hdel(records, 'format').rename(records, before.run(run).state);
  for (const due of dues)
    multi.zrem(own.agenda, agendaItemId(due)).zadd(before.agenda, Date.now() + 60_000, agendaItemId(due));
  await multi.exec();
  await new Queue('activations', { connection, prefix: own.home }).obliterate({ force: true });
  return dues;
}

/** Returns two flags: the run is where builds of format 1 look for it, and where current builds look for it. */
const places = (run: RunId) =>
  Promise.all([first.run(run).state, own.run(run).state].map(async (key) => (await connection.exists(key)) === 1));

const work = () => startWorker({ runtime, vocabulary, concurrency: 2, name: 'test', log });

async function ended(run: RunId): Promise<string | undefined> {
  for await (const { event } of runtime.runs.watch(run, '0', AbortSignal.timeout(20_000))) void event;
  return (await runtime.runs.describe(run))?.status;
}

/** A run of format 1 that waits for an answer. */
async function waitingRun(run: RunId, more: object = {}): Promise<RunId> {
  const worker = work();
  await runtime.runs.start({ workflow: question, input: 'go', run, ...more });
  for await (const { event } of runtime.runs.watch(run, '0', AbortSignal.timeout(20_000)))
    if (event.type === 'activation.suspended') break;
  await worker.close();
  await leaveInFormat(first, run);
  return run;
}

describe('a run of an earlier format', () => {
  it('is taken over with its agenda, and continues at once', async () => {
    const run = await runtime.runs.start({ workflow: echo, input: 'go' });
    const [due] = await leaveInFormat(first, run);
    if (due === undefined || !('activation' in due)) throw new Error('a run that continues is on the agenda');
    // Its wake waits for a worker of that build.
    const queue = new Queue('activations', { connection, prefix: first.home });
    await queue.add('activation', due, { jobId: agendaItemId(due) });

    await takeover().runs();

    expect(await places(run)).toEqual([false, true]);
    expect(await connection.zrange(first.agenda, '0', '-1')).toEqual([]);
    expect(await queue.getJobCounts('wait', 'active')).toEqual({ wait: 0, active: 0 });
    await queue.close();
    expect(await connection.zrange(own.agenda, '0', '-1', 'WITHSCORES')).toEqual([agendaItemId(due), '0']);
    const worker = work();
    const caretaker = startCaretaker({ ...runtime, report: () => undefined, everyMs: 5 });
    expect(await ended(run)).toBe('completed');
    expect(await audit(runtime.store, run, vocabulary)).toEqual([]);
    await Promise.all([worker.close(), caretaker.close()]);
  });

  it('has the messages and numbers that format 2 stores in other places', async () => {
    const worker = work();
    const run = await runtime.runs.start({ workflow: question, input: 'go' });
    for await (const { event } of runtime.runs.watch(run, '0', AbortSignal.timeout(20_000)))
      if (event.type === 'activation.suspended') break;
    await leaveInFormat(second, run);
    expect(await connection.exists(listOf(own.run(run), 'recent/s0/Ask'))).toBe(1);
    const stored = await runtime.store.load(run);

    await runtime.runs.submit(run, { type: 'pause' });

    expect(stored).toMatchObject({ format: 2 });
    expect(await runtime.store.load(run)).toMatchObject({ format: 3 });
    expect(await connection.exists(listOf(own.run(run), 'recent/s0/Ask'))).toBe(0);
    expect(await audit(runtime.store, run, vocabulary)).toEqual([]);
    await runtime.runs.submit(run, { type: 'resume', task: [], bodies: [] });
    await runtime.runs.answer(run, undefined, { message: textMessage('user', 'ok', 'person') });
    expect(await ended(run)).toBe('completed');
    expect(await audit(runtime.store, run, vocabulary)).toEqual([]);
    await worker.close();
  });

  it('stays with a worker that executes one of its activations', async () => {
    const run = await runtime.runs.start({ workflow: echo, input: 'go' });
    const [due] = await leaveInFormat(first, run);
    const lock = `${first.home}:activations:${due === undefined ? '' : agendaItemId(due)}:lock`;
    await connection.set(lock, 'a worker');

    await takeover().runs();
    expect(await places(run)).toEqual([true, false]);
    await connection.del(lock, own.takingOver);
    await takeover().runs();

    expect(await places(run)).toEqual([false, true]);
  });

  it('is not taken over when it ends during the sweep of the agenda', async () => {
    const worker = work();
    const run = await runtime.runs.start({ workflow: echo, input: 'go' });
    const due = agendaItemId({ run, activation: 'a1', token: 't' });
    await ended(run);
    await worker.close();
    await leaveInFormat(first, run);
    // The sweep has read this entry before the last commit of the run removed it.
    await connection.zadd(first.agenda, 0, due);

    await takeover().runs();

    expect(await places(run)).toEqual([true, false]);
  });

  it('is not taken over by reads, but by commands', async () => {
    const run = await waitingRun('run_1');

    expect(await runtime.runs.describe(run)).toMatchObject({ status: 'waiting', tasks: [{ node: 'Ask' }] });
    expect(await audit(runtime.store, run, vocabulary)).toEqual([]);
    expect(await places(run)).toEqual([true, false]);
    await runtime.runs.answer(run, undefined, { message: textMessage('user', 'this', 'Ask') });

    expect(await places(run)).toEqual([false, true]);
    const worker = work();
    expect(await ended(run)).toBe('completed');
    await worker.close();
    expect(await audit(runtime.store, run, vocabulary)).toEqual([]);
  });

  it('delays no other run when its takeover fails, and is reported once', async () => {
    const sound = await runtime.runs.start({ workflow: echo, input: 'go' });
    await leaveInFormat(first, sound);
    const broken = await runtime.runs.start({ workflow: echo, input: 'go' });
    await leaveInFormat(first, broken);
    await connection.hset(first.run(broken).state, 'run', 'no JSON');

    for (let round = 0; round < 2; round += 1) {
      await connection.del(own.takingOver);
      await takeover().runs();
    }

    expect(await places(sound)).toEqual([false, true]);
    expect(await places(broken)).toEqual([true, false]);
    expect(reports).toEqual([`the run ${broken} could not be taken over`]);
  });

  it('cannot be started again', async () => {
    const run = await waitingRun('run_1');
    const before = await connection.xlen(own.run(run).journal);

    expect(await runtime.runs.start({ workflow: echo, input: 'go', run })).toBe(run);
    const moment = { run, version: 0, nonce: '', next: 'n1', at: 1, before: new State() };
    const decision = { events: [], writes: [], bodies: [], wakes: [], later: [], settled: [], memory: [] };
    expect(await runtime.store.commit({ ...moment, decision })).toMatchObject({ type: 'behind' });

    expect(await connection.xlen(own.run(run).journal)).toBe(before);
  });

  it('is delivered to webhooks again when it has just ended', async () => {
    const run = await waitingRun('run_1', { webhook: { url: 'https://example.com' } });
    await connection.del(own.outbox);

    await runtime.runs.submit(run, { type: 'pause' });

    const entries = (await connection.xrange(own.outbox, '-', '+')).map(([, fields]) => fields);
    const suspended = (await runtime.store.journal(run, '0', 100)).find(
      ({ event }) => event.type === 'activation.suspended',
    );
    expect(entries).toEqual([['run', run, 'entry', suspended?.id]]);
  });

  it('is removed like other runs after its end', async () => {
    const worker = work();
    const run = await runtime.runs.start({ workflow: echo, input: 'go' });
    await ended(run);
    await worker.close();
    await leaveInFormat(first, run);

    await runtime.runs.remove(run);

    expect(await connection.keys(`*${run}*`)).toEqual([]);
  });
});

describe('a run of a later format', () => {
  it('is not changed by any command', async () => {
    const run = await waitingRun('run_1');
    await runtime.runs.submit(run, { type: 'pause' });
    await connection.hset(own.run(run).state, 'format', '4');
    const stored = await connection.hgetall(own.run(run).state);

    const newer = { code: 'FORMAT_NEWER' };
    await expect(runtime.runs.cancel(run, 'enough')).rejects.toMatchObject(newer);
    await expect(runtime.runs.describe(run)).rejects.toMatchObject(newer);
    await expect(runtime.runs.remove(run)).rejects.toMatchObject(newer);

    expect(await connection.hgetall(own.run(run).state)).toEqual(stored);
  });

  it('is reported once in the log of a worker, for all of its wakes', async () => {
    const run = await runtime.runs.start({ workflow: echo, input: 'go' });
    await connection.hset(own.run(run).state, 'format', '4');
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const fresh = await openRuntime({ redisUrl: redis.url }, vocabulary, (message) => void reports.push(message));
    const worker = startWorker({ runtime: fresh, vocabulary, concurrency: 2, name: 'test', log });
    const queue = new Queue('activations', { connection, prefix: own.home });

    for (const activation of ['a1', 'a2', 'a3']) {
      await queue.add('activation', { run, activation, token: 't' }, { jobId: `${run}.${activation}.t` });
      await expect
        .poll(() => queue.getJobCounts('wait', 'active', 'failed'))
        .toEqual({ wait: 0, active: 0, failed: 0 });
    }

    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ run, format: 4 }]);
    expect(reports).toEqual([]);
    await Promise.all([worker.close(), queue.close()]);
    await fresh.close();
  });

  it('is removed from the agenda when an alarm of it remains there', async () => {
    const run = await waitingRun('run_1');
    await connection.rename(first.run(run).state, own.run(run).state);
    await connection.hset(own.run(run).state, 'format', '4');
    await connection.zadd(own.agenda, 0, `${run}.alarm/run.t`);

    const fresh = await openRuntime({ redisUrl: redis.url }, vocabulary, () => undefined);
    const caretaker = startCaretaker({ ...fresh, report: (message) => void reports.push(message), everyMs: 5 });

    await expect.poll(() => connection.zcard(own.agenda)).toBe(0);
    await caretaker.close();
    await fresh.close();
    expect(reports).toEqual([]);
  });
});
