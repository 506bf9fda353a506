import { EventEmitter, once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry, RunId } from '@millrace/core';
import type { RuntimeLocation } from '@millrace/runtime';
import { connect, localArchive, readRunArchive } from '@millrace/runtime';
import { afterEach, expect, it } from 'vitest';
import type { RetentionOptions } from '../../../packages/runtime/src/maintenance/retention/tidy.ts';
import { removeExpiredRuns } from '../../../packages/runtime/src/maintenance/retention/tidy.ts';
import { directoryBeforeEach, openBeforeEach } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { journalOf } from '../../support/runs/audit.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { turning } from '../../support/runs/turning.ts';
import { untilEnded } from '../../support/runs/watching.ts';

const vocabulary = createVocabulary();

const installation = openBeforeEach(newInstallation);
const directory = directoryBeforeEach();
const connection = openBeforeEach(() => connect(installation.url, 'test'));
const stages: Stage[] = [];

afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

async function open(more: Partial<Extract<RuntimeLocation, { redisUrl: string }>> = {}): Promise<Stage> {
  const { url, prefix } = installation;
  const stage = await openStage({ where: { redisUrl: url, prefix, ...more } });
  stages.push(stage);
  return stage;
}

/** Keeps memories, counters and waiting messages of its own. */
const remembering = workflowIn(
  `
graph:
  id: remembering
  start: [Say]
  end: [Note]
  memory:
    - {name: log, type: memory_file, config: {path: memory/log.txt, mode: append}}
  nodes:
    - {id: Say, type: literal, config: {content: something to remember}}
    - {id: Note, type: memory_write, config: {store: log}}
    - {id: Count, type: loop_counter, config: {max_iterations: 5}}
  edges:
    - {from: Say, to: Note}
    - {from: Say, to: Count, keep_message: true}
`,
  vocabulary,
);

async function finish({ runtime: { runs } }: Stage, request: Parameters<typeof runs.start>[0]): Promise<RunId> {
  const run = await runs.start(request);
  await untilEnded(runs, run);
  return run;
}

/** Usage that is counted by tenant and day, and reports of workers: both expire by themselves. */
const expiring = /^:(?:usage:(?:tenants|[^:]+:\d{4}-\d\d-\d\d)|held:worker\/[^:]+)$/;

/** Returns the keys that remain, except workflows by hash, BullMQ's keys of a queue, the shares of tenants, and `expiring`. */
async function left(): Promise<readonly string[]> {
  const keys = await connection.keys(`${installation.prefix}:*`);
  const ofTheInstallation = [':plan:', ':v4:jobs:', ':v4:share:', ':v4:lease:'];
  return keys
    .map((key) => key.slice(installation.prefix.length))
    .filter((key) => !ofTheInstallation.some((start) => key.startsWith(start)) && !expiring.test(key));
}

it('leaves nothing in Redis of expired runs', async () => {
  const stage = await open({ journalWindow: 100, keep: { completed: 1 } });
  for (const tenant of ['default', 'acme', 'default', 'acme']) {
    await finish(stage, { workflow: remembering, input: 'go', tenant, tags: ['one', 'two'] });
  }
  await finish(stage, { workflow: turning(100, vocabulary), input: 'go' });
  expect(await left()).not.toEqual([]);

  stage.runtime.startCaretaker();

  await expect.poll(left).toEqual([]);
});

it('removes 16 runs at once', async () => {
  const stage = await open();
  const { store, blobs, runs } = stage.runtime;
  const literal = workflowIn('graph:\n  id: g\n  nodes: [{id: A, type: literal, config: {content: a}}]\n', vocabulary);
  for (let n = 0; n < 20; n++) await finish(stage, { workflow: literal, input: 'go' });
  let arrived = 0;
  let most = 0;
  let under = 0;
  const held = new EventEmitter();
  const all = once(held, 'all');
  const archive: NonNullable<RetentionOptions['archive']> = {
    async put() {
      most = Math.max(most, ++under);
      if (++arrived === 16) held.emit('all');
      await all;
      under -= 1;
    },
  };

  const { tenantEvents } = runs;
  const options = {
    store,
    blobs,
    archive,
    tenantEvents,
    keep: { completed: -1 },
    report: (what: string) => expect.fail(what),
  };
  await removeExpiredRuns(options, new AbortController().signal);

  expect([arrived, most]).toEqual([20, 16]);
  expect((await runs.list({ limit: 10 })).runs).toEqual([]);
});

it('removes expired runs in a process that may, whichever process looks after the agenda', async () => {
  const server = await open({ keep: { completed: 1 } });
  const completed = await finish(server, { workflow: remembering, input: 'go' });
  const lease = (name: string) => connection.exists(`${installation.prefix}:v4:lease:${name}`);
  server.runtime.startCaretaker({ removes: false });
  await expect.poll(() => lease('agenda')).toBe(1);
  expect(await lease('retention')).toBe(0);

  (await open({ keep: { completed: 1 } })).runtime.startCaretaker();

  await expect.poll(() => server.runtime.runs.describe(completed)).toBeUndefined();
});

it('shows temporary runs in no list, and leaves nothing of them after their time, whatever their state', async () => {
  const archive = join(directory, 'archive');
  const stage = await open({ journalWindow: 100, archive: { type: 'directory', path: archive } });
  const { runs, store } = stage.runtime;
  const lasting = workflowIn(
    `
graph:
  id: lasting
  memory:
    - {name: log, type: memory_file, config: {path: memory/log.txt, mode: append, lifetime: permanent}}
  nodes:
    - {id: Say, type: literal, config: {content: something to remember}}
    - {id: Note, type: memory_write, config: {store: log}}
    - {id: Ask, type: human, config: {}}
  edges: [{from: Say, to: Note}, {from: Note, to: Ask}]
`,
    vocabulary,
  );
  const ttlMs = 3000;
  const ended = await finish(stage, { workflow: turning(100, vocabulary), input: 'go', ttlMs, tenant: 'acme' });
  const waiting = await runs.start({ workflow: lasting, input: 'go', ttlMs, tags: ['one'] });
  await expect.poll(async () => (await runs.tasks(waiting)).length).toBe(1);
  expect(await runs.describe(ended)).toMatchObject({ status: 'completed', expiresAt: expect.any(Number) });
  for (const tenant of ['default', 'acme']) {
    expect((await runs.list({ limit: 10, tenant })).runs).toEqual([]);
    expect(await runs.list({ limit: 10, tenant, tag: 'one', asks: true })).toMatchObject({ runs: [] });
    expect(await runs.count({ tenant })).toEqual({ byStatus: {}, asks: 0, capped: false });
  }

  const expired = () => store.retention.expired({ until: store.now(), skip: 0, limit: 10 });
  await expect.poll(async () => (await expired()).length).toBe(2);
  stage.runtime.startCaretaker({ removes: false });

  await expect.poll(left).toEqual([]);
  expect(await store.load(waiting)).toBeUndefined();
  await expect(readdir(archive)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('keeps a fork of a temporary run', async () => {
  const stage = await open();
  const { runs } = stage.runtime;
  const run = await finish(stage, { workflow: remembering, input: 'go', ttlMs: 60_000 });

  const fork = await runs.fork(run, { at: 'a1' });

  expect((await runs.list({ limit: 10 })).runs.map((one) => one.run)).toEqual([fork]);
  expect(await runs.describe(fork)).not.toHaveProperty('expiresAt');
});

it('keeps everything by default, and always runs that have not ended or ended in another way', async () => {
  const stage = await open();
  const completed = await finish(stage, { workflow: remembering, input: 'go' });
  const asking = workflowIn('graph: {id: ask, nodes: [{id: Ask, type: human, config: {}}]}', vocabulary);
  const waiting = await stage.runtime.runs.start({ workflow: asking, input: 'go' });
  const cancelled = await stage.runtime.runs.start({ workflow: asking, input: 'go' });
  await stage.runtime.runs.cancel(cancelled, 'enough');
  stage.runtime.startCaretaker();
  const tidying = await open({ keep: { completed: 1, failed: 1 } });

  expect((await stage.runtime.runs.list({ limit: 10 })).runs).toHaveLength(3);
  tidying.runtime.startCaretaker();

  await expect.poll(() => stage.runtime.runs.describe(completed)).toBeUndefined();
  const there = (await stage.runtime.runs.list({ limit: 10 })).runs.map(({ run }) => run);
  expect(new Set(there)).toEqual(new Set([waiting, cancelled]));
  await expect(stage.runtime.runs.remove(waiting)).rejects.toMatchObject({ code: 'RUN_NOT_ENDED' });
  await expect(stage.runtime.runs.remove(completed)).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
});

it('archives a run with its whole journal and all messages before it removes it', async () => {
  const archive = join(directory, 'archive');
  const blobs = { type: 'directory', path: join(directory, 'blobs') } as const;
  const stage = await open({ journalWindow: 100, blobs, archive: { type: 'directory', path: archive } });
  const run = await finish(stage, { workflow: turning(100, vocabulary), input: 'go', tenant: 'acme' });
  const journal = await journalOf(stage.runtime.store, run);
  expect((await readdir(blobs.path, { recursive: true })).length).toBeGreaterThan(3);

  await stage.runtime.runs.remove(run);

  const file = join(archive, `${run}.jsonl`);
  const read: JournalEntry[] = [];
  for await (const entry of readRunArchive(localArchive(file))) read.push(entry);
  expect(read).toEqual(journal);
  const lines = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ run: { run, status: 'completed', workflow: 'turning' } });
  expect(lines[1].workflow.graph.id).toBe('turning');
  const messages = lines.filter((line) => 'message' in line);
  expect(messages.map(({ message }) => message)).toEqual(messages.map((_, at) => `m${at + 1}`));
  expect(messages.length).toBeGreaterThan(100);
  expect(await left()).toEqual([]);
  expect((await readdir(blobs.path, { recursive: true })).filter((name) => /[0-9a-f]{64}$/.test(name))).toEqual([]);
});

it('keeps a run that cannot be archived', async () => {
  const refusals: string[] = [];
  const stage = await open({ archive: { type: 'directory', path: '/dev/null/nowhere' } });
  const run = await finish(stage, { workflow: remembering, input: 'go' });

  await stage.runtime.runs.remove(run).catch((error: unknown) => refusals.push(String(error)));

  expect(refusals).toHaveLength(1);
  expect(await stage.runtime.runs.describe(run)).toMatchObject({ status: 'completed' });
});

it('deletes in its next round the data that a process left when it died after removing a run', async () => {
  const stage = await open({ journalWindow: 100 });
  const run = await finish(stage, { workflow: turning(100, vocabulary), input: 'go' });
  const { store } = stage.runtime;
  const loaded = await store.load(run);
  if (loaded === undefined) throw new Error('the run is not there');

  await store.retention.remove(run, loaded);
  expect((await left()).some((key) => key.startsWith(':blob:'))).toBe(true);
  (await open({ keep: { failed: 1 } })).runtime.startCaretaker();

  // Bytes are taken back when their run has been gone for an hour.
  const counts = /^:stored|:contents$/;
  await expect.poll(async () => (await left()).filter((key) => !counts.test(key))).toEqual([]);
});
