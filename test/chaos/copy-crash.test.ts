import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createVocabulary } from '@millrace/catalog';
import type { RunId } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { connect, openRuntime, sweepFilesNow } from '@millrace/runtime';
import { beforeAll, describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../support/fixtures.ts';
import { ask } from '../support/http/http.ts';
import type { RunningServer } from '../support/processes/millrace.ts';
import { startServer } from '../support/processes/millrace.ts';
import { startWorkerProcess } from '../support/processes/worker-process.ts';
import { startRedis } from '../support/redis/redis.ts';
import { openRedisProxy } from '../support/redis/redis-proxy.ts';
import { audit, journalOf } from '../support/runs/audit.ts';
import { leftovers } from '../support/runs/leftovers.ts';
import { turning } from '../support/runs/turning.ts';
import { untilEnded } from '../support/runs/watching.ts';

const vocabulary = createVocabulary();
const redis = openBeforeAll(startRedis);
const directory = directoryBeforeAll();
const blobs = join(directory, 'blobs');
const runtime = openBeforeAll(
  (): Promise<Runtime> =>
    openRuntime({ redisUrl: redis.url, blobs: { type: 'directory', path: blobs } }, vocabulary, () => undefined),
);
const connection = openBeforeAll(() => connect(redis.url, 'test'));
const env = { MILLRACE_DIR: directory, MILLRACE_BLOBS: `dir:${blobs}`, MILLRACE_JOURNAL_WINDOW: '100' };
openBeforeAll(() => startWorkerProcess(redis.url, env));
const serve = (redisUrl: string): Promise<RunningServer> =>
  startServer(['serve', '--port', '0', '--no-ui'], { cwd: directory, env: { ...env, REDIS_URL: redisUrl } });
const next = openBeforeAll(() => serve(redis.url));

const kinds = ['fork', 'replay'] as const;
type Kind = (typeof kinds)[number];

let source: RunId;
let output: unknown;
/** All runs that there are. */
const runs: RunId[] = [];
beforeAll(async () => {
  source = await runtime.runs.start({ workflow: turning(150, vocabulary), input: 'go' });
  await untilEnded(runtime.runs, source);
  output = (await runtime.runs.describe(source))?.output;
  runs.push(source);
  expect((await partsOf(source)).length).toBeGreaterThan(2);
});

const partsOf = async (run: RunId): Promise<readonly string[]> => {
  const state = (await runtime.store.load(run))?.state;
  const parts = [...(state?.list('archive/journal') ?? []), ...(state?.get('origin')?.replay?.journal ?? [])];
  return parts.map(({ digest }) => digest);
};

/** The files in the directory of contents, drafts included. */
const filesOf = (): readonly string[] =>
  readdirSync(blobs, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();

/** Files after everything that no run names was swept. */
async function filesInUse(): Promise<readonly string[]> {
  await sweepFilesNow({ store: runtime.store, blobs: runtime.blobs, keepMs: 0 }, AbortSignal.timeout(60_000));
  return filesOf();
}

/** Keys that none of the runs has. */
const keysLeft = (): Promise<readonly string[]> => leftovers(connection, runtime.store, runs);

/** A moment at which a server dies: at a request that it sends to Redis for the run that it makes. */
interface Death {
  readonly when: string;
  /** The request arrives. */
  readonly arrives: boolean;
  /** Returns whether a request is that one. */
  readonly at: (run: RunId) => (request: Buffer) => boolean;
}

/** The request before a blob of a run is written, which counts it. */
const countOf = (which: number) => (run: RunId) => {
  let counts = 0;
  return (request: Buffer) => request.includes(`\r\nrun/${run}\r\n`) && ++counts === which;
};
const commitOf = (run: RunId) => (request: Buffer) =>
  request.includes(`:run:${run}:records\r\n`) && ['run.forked', 'run.started'].some((type) => request.includes(type));

const deaths: readonly Death[] = [
  { when: 'before the first part', arrives: true, at: countOf(1) },
  { when: 'between the first parts', arrives: false, at: countOf(2) },
  { when: 'between two later parts', arrives: true, at: countOf(3) },
  { when: 'before the commit', arrives: false, at: commitOf },
  { when: 'after the commit and before the wake', arrives: true, at: commitOf },
];

/** Asks a server for a copy, once. */
async function copy(kind: Kind, { url }: RunningServer, runId: RunId): Promise<unknown> {
  const request = { runId, ...(kind === 'fork' ? { at: 'a150' } : {}) };
  const { status, body } = await ask(`${url}/v1/runs/${source}/${kind}`, request);
  return { status, run: body['runId'] };
}

describe.each(kinds)('a server that is killed while it makes a %s', (kind) => {
  it.each(deaths)('leaves the whole run or nothing: $when', async ({ when, arrives, at }) => {
    const run = `${kind}-${when.replaceAll(' ', '-')}`;
    const before = await filesInUse();
    const proxy = await openRedisProxy(redis.url);
    const dying = await serve(proxy.url);
    const holds = at(run);
    const killing = (request: Buffer) => {
      if (!holds(request)) return false;
      dying.signal('SIGKILL');
      return true;
    };
    const dead = arrives ? proxy.endAfter(killing) : proxy.endBefore(killing);
    await expect(copy(kind, dying, run)).rejects.toThrow();
    await dead;
    await dying.ended;
    await proxy.close();

    const isCommitted = at === commitOf && arrives;
    expect((await runtime.store.load(run)) !== undefined).toBe(isCommitted);
    if (!isCommitted) expect(await filesInUse()).toEqual(before);

    expect(await copy(kind, next, run)).toEqual({ status: 201, run });
    expect(await copy(kind, next, run)).toEqual({ status: 201, run });
    await untilEnded(runtime.runs, run);
    runs.push(run);

    expect(await runtime.runs.describe(run)).toMatchObject({ status: 'completed', output });
    expect(await audit(runtime.store, run, vocabulary)).toEqual([]);
    const journal = await journalOf(runtime.store, run);
    expect(journal.filter(({ event }) => event.type === 'run.started').length).toBe(1);
    expect(journal.filter(({ event }) => event.type === 'run.forked').length).toBe(kind === 'fork' ? 1 : 0);
    const named = (await Promise.all(runs.map(partsOf))).flat();
    expect(await filesInUse()).toEqual(named.toSorted());
    await expect.poll(keysLeft, { timeout: 5000 }).toEqual([]);
  });
});
