import { createVocabulary } from '@millrace/catalog';
import type { ActivationId, JournalEntry, MessageId, RunId } from '@millrace/core';
import { textMessage } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { connect, openRuntime, sweepFilesNow } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { audit, journalOf } from '../../support/runs/audit.ts';
import type { LongRunSite } from '../../support/runs/long-run.ts';
import { continueRun, failSpeaker, writeLongRun } from '../../support/runs/long-run.ts';

const vocabulary = createVocabulary();
const installation = openBeforeAll(newInstallation);
const directory = directoryBeforeAll();
const connection = openBeforeAll(() => connect(installation.url, 'test'));
const open = (): Promise<Runtime> =>
  openRuntime(
    { redisUrl: installation.url, prefix: installation.prefix, blobs: { type: 'directory', path: directory } },
    vocabulary,
    () => undefined,
  );
const runtime = openBeforeAll(open);
const local = openBeforeAll(() => openRuntime({ local: true }, vocabulary, () => undefined));
const site = (of: Runtime = runtime): LongRunSite => ({
  runtime: of,
  connection,
  prefix: installation.prefix,
  vocabulary,
});

/** Returns the events that a fork at an activation shares with a run. */
function sharedBefore(journal: readonly JournalEntry[], activation: ActivationId) {
  const end = journal.findIndex(
    ({ event }) => event.type === 'activation.completed' && event.activation === activation,
  );
  return journal.slice(0, end).map(({ event }) => event);
}

const withoutParts = (events: readonly JournalEntry['event'][]) =>
  events.filter(({ type }) => type !== 'journal.archived');

const blobsIn = async ({ blobs }: Runtime): Promise<readonly string[]> => {
  const found: string[] = [];
  for await (const digest of blobs.idle(0)) found.push(digest);
  return found;
};

const partsOf = async ({ store }: Runtime, run: RunId) =>
  (await store.load(run))?.state.list('archive/journal').map(({ digest }) => digest) ?? [];

/** Checks that a fork has the history of a run up to an activation, at one time, with its messages. */
async function expectFork(of: Runtime, run: RunId, fork: RunId, activation: ActivationId): Promise<void> {
  const journal = await journalOf(of.store, fork);
  const forkedAt = journal.findIndex(({ event }) => event.type === 'run.forked' && event.of === run);
  const shared = journal.slice(0, forkedAt);
  expect(withoutParts(shared.map(({ event }) => event))).toEqual(
    withoutParts(sharedBefore(await journalOf(of.store, run), activation)),
  );
  expect(new Set(shared.map(({ at }) => at))).toEqual(new Set([journal[forkedAt]?.at]));
  const total = shared.reduce((sum, { event }) => sum + (event.bodies ?? 0), 0);
  const ids = Array.from({ length: total }, (_, at): MessageId => `m${at + 1}`);
  expect(await of.store.bodies(fork, ids)).toEqual(await of.store.bodies(run, ids));
  expect(await of.store.heads(fork, ids.slice(0, 5))).toEqual(await of.store.heads(run, ids.slice(0, 5)));
  expect(await audit(of.store, fork, vocabulary)).toEqual([]);
  const projection = await of.runs.projection(fork);
  expect(projection).toMatchObject({ at: journal.at(-1)?.at, activations: Number(activation.slice(1)) });
}

it('shares a long history by copies of its parts, which outlive the run', async () => {
  const run = await writeLongRun(site(), 800);
  const steps: unknown[] = [];

  const fork = await runtime.runs.fork(run, { at: 'a700', onProgress: (progress) => steps.push(progress) });

  await expectFork(runtime, run, fork, 'a700');
  expect(steps.length).toBeGreaterThan(1);
  expect(steps.at(-1)).toEqual({ done: 700, total: 700 });
  const [first] = await runtime.store.journal(fork, '0', 1);
  expect(first).toMatchObject({ id: '1-0', event: { type: 'run.started' } });
  const own = await connection.xrange(`${installation.prefix}:run:${fork}:journal`, '-', '+');
  expect(own.length).toBe(1);

  const again = await runtime.runs.fork(fork, { at: 'a500' });
  await expectFork(runtime, fork, again, 'a500');
  await continueRun(site(), fork, 800);
  const last = await runtime.runs.fork(fork, { at: 'a750' });
  await expectFork(runtime, fork, last, 'a750');

  await runtime.runs.cancel(run, 'no longer needed');
  await runtime.runs.remove(run);
  await runtime.runs.cancel(fork, 'no longer needed');
  await runtime.runs.remove(fork);
  expect(await audit(runtime.store, last, vocabulary)).toEqual([]);
  expect(await audit(runtime.store, again, vocabulary)).toEqual([]);
  const kept = [...(await partsOf(runtime, last)), ...(await partsOf(runtime, again))];
  expect((await blobsIn(runtime)).toSorted()).toEqual(kept.toSorted());
}, 120_000);

it('leaves nothing that counts when a process dies while it copies, and gives the same when it is tried again', async () => {
  const run = await writeLongRun(site(), 800);
  const before = new Set(await blobsIn(runtime));
  const dying = await open();
  const put = dying.blobs.put.bind(dying.blobs);
  let copied = 0;
  const stopped = new Promise<void>((stop) => {
    Object.assign(dying.blobs, {
      // From here on it is as if the process had stopped.
      put: (...contents: Parameters<typeof put>) => (++copied > 1 ? new Promise(() => stop()) : put(...contents)),
    });
  });
  void dying.runs.fork(run, { as: 'run_again', at: 'a700' });
  await stopped;
  expect(await runtime.store.load('run_again')).toBeUndefined();
  const left = (await blobsIn(runtime)).filter((digest) => !before.has(digest));
  expect(left.length).toBe(1);
  await dying.close();

  expect(await runtime.runs.fork(run, { as: 'run_again', at: 'a700' })).toBe('run_again');
  expect(await runtime.runs.fork(run, { as: 'run_again', at: 'a700' })).toBe('run_again');
  await expectFork(runtime, run, 'run_again', 'a700');

  await sweepFilesNow({ store: runtime.store, blobs: runtime.blobs, keepMs: 0 }, AbortSignal.timeout(60_000));
  const now = await blobsIn(runtime);
  expect(left.filter((digest) => now.includes(digest))).toEqual([]);
  await expectFork(runtime, run, 'run_again', 'a700');
}, 120_000);

it('deletes its copies when one of them fails', async () => {
  const run = await writeLongRun(site(), 800);
  const before = (await blobsIn(runtime)).toSorted();
  const failing = await open();
  const put = failing.blobs.put.bind(failing.blobs);
  let copied = 0;
  Object.assign(failing.blobs, {
    put: (...contents: Parameters<typeof put>) =>
      ++copied > 1 ? Promise.reject(new Error('the disk is full')) : put(...contents),
  });

  await expect(failing.runs.fork(run, { at: 'a700' })).rejects.toThrow('the disk is full');

  await failing.close();
  expect((await blobsIn(runtime)).toSorted()).toEqual(before);
}, 120_000);

it('deletes its copies when what is given with it is refused', async () => {
  const run = await writeLongRun(site(), 800);
  const before = (await blobsIn(runtime)).toSorted();
  const counted = await runtime.store.stored.total('default');
  const output = textMessage('assistant', 'x'.repeat(40_000_000), '');

  await expect(runtime.runs.fork(run, { at: 'a700', output })).rejects.toThrow('output');

  expect((await blobsIn(runtime)).toSorted()).toEqual(before);
  expect(await runtime.store.stored.total('default')).toBe(counted);
}, 120_000);

it('is replayed from copies of parts, whose number is that of the run', async () => {
  const run = await writeLongRun(site(), 800);
  await failSpeaker(site(), run);
  const parts = (await partsOf(runtime, run)).length;
  const steps: unknown[] = [];

  const replay = await runtime.runs.replay(run, { onProgress: (progress) => steps.push(progress) });

  const journal = (await runtime.store.load(replay))?.state.get('origin')?.replay?.journal ?? [];
  expect(journal.length).toBe(parts + 1);
  expect(steps.at(-1)).toEqual({ done: 800, total: 800 });
}, 120_000);

it('shares the history of a run of one process, which has archived nothing', async () => {
  const run = await writeLongRun(site(local), 400);

  const fork = await local.runs.fork(run, { at: 'a300', output: textMessage('assistant', 'Mine.', '') });

  expect((await partsOf(local, fork)).length).toBe(1);
  await expectFork(local, run, fork, 'a300');
  const again = await local.runs.fork(fork, { at: 'a200' });
  await expectFork(local, fork, again, 'a200');
}, 120_000);
