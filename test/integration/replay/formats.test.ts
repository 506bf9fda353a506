import { createVocabulary } from '@millrace/catalog';
import type { RunId } from '@millrace/core';
import { textMessage } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { connect, diagnoseRedis, openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeys } from '../../../packages/runtime/src/adapters/redis/location/keys.ts';
import { storedFormat } from '../../../packages/runtime/src/ports/store/format.ts';
import { serveApi } from '../../support/http/api.ts';
import type { Installation } from '../../support/redis/installation.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { tellRedis } from '../../support/redis/tell-redis.ts';
import { audit, journalOf } from '../../support/runs/audit.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { untilEnded, untilEntry } from '../../support/runs/watching.ts';

const vocabulary = createVocabulary();
const yaml = 'graph: { id: question, nodes: [{ id: Ask, type: human, config: { description: What shall it be? } }] }';
const question = workflowIn(yaml, vocabulary);
const echo = workflowIn('graph: { id: echo, nodes: [{ id: A, type: passthrough, config: {} }] }', vocabulary);
const laterFormat = storedFormat + 1;

let prefix: string;
let installation: Installation;
let connection: Redis;
let closing: (() => Promise<void>)[];

beforeEach(() => {
  closing = [];
  installation = newInstallation();
  prefix = installation.prefix;
  connection = connect(installation.url, 'test');
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  connection.disconnect();
});

/** Opens a runtime, of this build or of one with a later format. */
async function open(format = storedFormat): Promise<Runtime> {
  const runtime = await openRuntime({ redisUrl: installation.url, prefix, format }, vocabulary, () => undefined);
  closing.push(() => runtime.close());
  return runtime;
}

/** Lets a process work on runs; returns the lines of its log. */
function work(runtime: Runtime): readonly string[] {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const worker = startWorker({ runtime, vocabulary, concurrency: 2, name: 'test', log });
  const caretaker = runtime.startCaretaker();
  closing.push(async () => void (await Promise.all([worker.close(), caretaker.close()])));
  return lines;
}

async function ended({ runs }: Runtime, run: RunId): Promise<string | undefined> {
  await untilEnded(runs, run);
  return (await runs.describe(run))?.status;
}

/** Everything that is stored of a run. */
async function stored(run: RunId) {
  const { state, journal } = createKeys(prefix).run(run);
  return [await connection.hgetall(state), await connection.xrange(journal, '-', '+')];
}

/** Expects that a process can neither read nor change a run, and that the run stays as it is. */
async function expectRefusal({ runs }: Runtime, run: RunId, refusal: object): Promise<void> {
  const before = await stored(run);
  await expect(runs.describe(run)).rejects.toMatchObject(refusal);
  await expect(runs.cancel(run, 'enough')).rejects.toMatchObject(refusal);
  await expect(runs.submit(run, { type: 'pause' })).rejects.toMatchObject(refusal);
  await expect(runs.remove(run)).rejects.toMatchObject(refusal);
  await expect(runs.start({ workflow: echo, input: 'go', run })).rejects.toMatchObject(refusal);
  expect(await stored(run)).toEqual(before);
}

describe('two builds with different formats', () => {
  it('share an installation, and each works on its own runs alone', async () => {
    const [own, later] = [await open(), await open(laterFormat)];
    work(own);
    const theirs = await later.runs.start({ workflow: echo, input: 'go', run: 'theirs' });

    const mine = await own.runs.start({ workflow: echo, input: 'go', run: 'mine' });
    expect(await ended(own, mine)).toBe('completed');
    expect((await journalOf(later.store, theirs)).map(({ event }) => event.type)).toEqual([
      'run.started',
      'graph.entered',
      'activation.ready',
    ]);
    work(later);

    expect(await ended(later, theirs)).toBe('completed');
    expect(await audit(own.store, mine, vocabulary)).toEqual([]);
    expect(await audit(later.store, theirs, vocabulary)).toEqual([]);
    expect((await own.runs.list({ limit: 10 })).runs.map(({ run }) => run).sort()).toEqual([mine, theirs]);
  });

  it('refuse to read or change the runs of each other', async () => {
    const [own, later] = [await open(), await open(laterFormat)];
    work(own);
    const mine = await own.runs.start({ workflow: question, input: 'go', run: 'mine' });
    await untilEntry(own.runs, mine, ({ event }) => event.type === 'activation.suspended');
    const theirs = await later.runs.start({ workflow: question, input: 'go', run: 'theirs' });

    await expectRefusal(own, theirs, { code: 'FORMAT_NEWER' });
    await expectRefusal(later, mine, { code: 'FORMAT_OLDER' });
    await own.runs.answer(mine, undefined, { message: textMessage('user', 'this', 'Ask') });

    expect(await ended(own, mine)).toBe('completed');
  });

  it('do not overwrite a run that the other one has begun while they decided on a commit', async () => {
    const own = await open();
    work(own);
    const run = await own.runs.start({ workflow: question, input: 'go', run: 'mine' });
    await untilEntry(own.runs, run, ({ event }) => event.type === 'activation.suspended');
    // The process knows the state of the run, so it commits without a read before.
    await connection.hset(createKeys(prefix).run(run).state, 'format', laterFormat);
    const before = await stored(run);

    await expect(own.runs.submit(run, { type: 'pause' })).rejects.toMatchObject({ code: 'FORMAT_NEWER' });

    expect(await stored(run)).toEqual(before);
  });

  it('start no run whose journal the other one has begun with a state elsewhere', async () => {
    const [own, later] = [await open(), await open(laterFormat)];
    const run = await later.runs.start({ workflow: echo, input: 'go', run: 'theirs' });
    const { state, journal } = createKeys(prefix).run(run);
    await connection.rename(state, `${state}-elsewhere`);

    await expect(own.runs.start({ workflow: echo, input: 'go', run })).rejects.toThrow('a journal but no state');

    expect([await connection.xlen(journal), await connection.exists(state)]).toEqual([1, 0]);
  });

  it('log a run of the other one once, for all of its wakes', async () => {
    const [own, later] = [await open(), await open(laterFormat)];
    const lines = work(own);
    const run = await later.runs.start({ workflow: echo, input: 'go' });
    const queue = new Queue('jobs', { connection, prefix: createKeys(prefix).home });

    for (const activation of ['a1', 'a2', 'a3']) {
      await queue.add('wake', run, { jobId: `${activation}.t` });
      await expect
        .poll(() => queue.getJobCounts('wait', 'active', 'failed'))
        .toEqual({ wait: 0, active: 0, failed: 0 });
    }

    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ run, format: laterFormat }]);
    await queue.close();
  });

  it('remove alarms of the other one from their agenda', async () => {
    const [own, later] = [await open(), await open(laterFormat)];
    const run = await later.runs.start({ workflow: question, input: 'go' });
    const { agenda } = createKeys(prefix);
    await connection.zadd(agenda, 0, `${run}.alarm/run.t`);

    work(own);

    await expect.poll(() => connection.zcard(agenda)).toBe(0);
  });
});

it('has a status over HTTP that tells a client whether to ask again', async () => {
  const api = await serveApi();
  closing.push(() => api.close());
  const key = await api.keyOf('default', 'run', 'read');
  const { body } = await api.ask(key, '/v1/runs', { workflow: { yaml }, input: 'go' });
  const { state } = createKeys(api.redis.prefix).run(String(body['runId']));
  const theirs = connect(api.redis.url, 'test');
  const answerIn = async (format: number) => {
    await theirs.hset(state, 'format', format);
    return api.ask(key, `/v1/runs/${String(body['runId'])}`);
  };

  const [later, earlier] = [await answerIn(laterFormat), await answerIn(3)];
  theirs.disconnect();

  expect([later, earlier]).toMatchObject([
    { status: 503, body: { code: 'FORMAT_NEWER' } },
    { status: 409, body: { code: 'FORMAT_OLDER' } },
  ]);
  expect([later, earlier].map(({ headers }) => headers.get('retry-after'))).toEqual(['1', null]);
});

describe('data of development builds', () => {
  const refusal = () => ({
    code: 'FORMAT_OLDER',
    message: `The data under the prefix ${prefix} was written before 0.1.0: start with an empty directory (MILLRACE_DIR) or another prefix (MILLRACE_PREFIX).`,
  });

  it.each([':format', ':activations:meta', ':v2:activations:meta', ':v3:activations:meta'])(
    'is refused when a process starts, which leaves it as it is: %s',
    async (left) => {
      if (left === ':format') await connection.set(`${prefix}${left}`, '3');
      else await connection.hset(`${prefix}${left}`, 'opts.maxLenEvents', '0');

      await expect(open()).rejects.toMatchObject(refusal());

      expect(await connection.keys(`${prefix}*`)).toEqual([`${prefix}${left}`]);
      expect(await diagnoseRedis(installation.url, prefix)).toMatchObject([
        { level: 'bad', message: refusal().message, cure: expect.stringContaining('MILLRACE_PREFIX') },
      ]);
    },
  );

  it('is refused while Redis takes no writes', async () => {
    const redis = await startRedis();
    closing.push(redis.stop);
    await tellRedis(redis.url, 'SET', '{millrace}:format', '3');
    // There is no master at that port.
    await tellRedis(redis.url, 'REPLICAOF', '127.0.0.1', 1);

    const opened = openRuntime({ redisUrl: redis.url }, vocabulary, () => undefined);

    await expect(opened).rejects.toMatchObject({ code: 'FORMAT_OLDER' });
  });

  it.each([['3'], [undefined]])(
    'is refused run by run when such a build has worked beside this one: format %s',
    async (format) => {
      const own = await open();
      const run = await own.runs.start({ workflow: question, input: 'go' });
      const { state } = createKeys(prefix).run(run);
      if (format === undefined) await connection.hdel(state, 'format');
      else await connection.hset(state, 'format', format);

      await expectRefusal(await open(), run, {
        code: 'FORMAT_OLDER',
        message: `The run ${run} was written before 0.1.0: start with an empty directory (MILLRACE_DIR) or another prefix (MILLRACE_PREFIX).`,
      });
    },
  );
});
