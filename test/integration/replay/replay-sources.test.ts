import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createVocabulary } from '@millrace/catalog';
import type { RunId } from '@millrace/core';
import { textMessage } from '@millrace/core';
import type { RunDescription } from '@millrace/runtime';
import { localArchive } from '@millrace/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { directoryBeforeAll } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { audit } from '../../support/runs/audit.ts';
import { resultOf } from '../../support/runs/scenario.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { turning } from '../../support/runs/turning.ts';
import { archivedJournalOf } from '../../support/runs/waits.ts';
import { endedRun } from '../../support/runs/watching.ts';

/*
 * The journal of the other run is in Redis, among the blobs if it has left the window, in the file that it was archived to,
 * or removed with the run.
 */

const vocabulary = createVocabulary();

const installation = newInstallation();
const directory = directoryBeforeAll();
let stage: Stage;

/** A stage with blobs of its own, which keeps short journals in Redis. */
function openLongStage(name: string): Promise<Stage> {
  const { url } = installation;
  const blobs = { type: 'directory', path: join(directory, name) } as const;
  const archive = { type: 'directory', path: join(directory, 'archive') } as const;
  return openStage({
    where: { redisUrl: url, prefix: `${installation.prefix}${name}`, journalWindow: 100, blobs, archive },
  });
}

beforeAll(async () => {
  stage = await openLongStage('blobs');
});
afterAll(async () => {
  await stage.close();
});

const archiveOf = (run: RunId) => join(directory, 'archive', `${run}.jsonl`);

const ended = (run: RunId, { runs } = stage.runtime): Promise<RunDescription> => endedRun(runs, run);

/** A run whose journal is far longer than the window. */
async function longRun(iterations = 60, { runtime } = stage): Promise<RunDescription> {
  const run = await runtime.runs.start({ workflow: turning(iterations, vocabulary), input: 'go' });
  return ended(run, runtime);
}

it('replays and forks a run whose journal has left the window', async () => {
  const { runs, store } = stage.runtime;
  const first = await longRun();
  const journal = await archivedJournalOf(stage, first.run);
  const at = journal.findLast(({ event }) => event.type === 'activation.ready')?.event;

  const replay = await ended(await runs.replay(first.run));
  const fork = await ended(await runs.fork(first.run, { at: at?.type === 'activation.ready' ? at.activation : 'a0' }));

  expect(resultOf(replay)).toEqual(resultOf(first));
  expect(resultOf(fork)).toEqual(resultOf(first));
  expect(await audit(store, replay.run, vocabulary)).toEqual([]);
  expect(await audit(store, fork.run, vocabulary)).toEqual([]);
  expect(resultOf(await ended(await runs.replay(fork.run)))).toEqual(resultOf(first));
});

it('completes a replay whose source is removed meanwhile, and leaves no data of it behind', async () => {
  const alone = await openLongStage('alone');
  const { runs } = alone.runtime;
  const first = await longRun(60, alone);

  const replay = await runs.replay(first.run);
  await runs.remove(first.run);
  const second = await ended(replay, alone.runtime);

  expect(resultOf(second)).toEqual(resultOf(first));
  await runs.remove(replay);
  // A part of a journal that was being archived meanwhile is deleted when its commit is refused.
  await expect.poll(() => blobCount('alone')).toBe(0);
  await alone.close();
});

it('creates one run for two concurrent requests with one id, and keeps one copy', async () => {
  const { runs } = stage.runtime;
  const first = await longRun(10);
  const before = await blobCount();

  const names = await Promise.all([1, 2, 3].map(() => runs.replay(first.run, { as: 'the-one' })));

  expect(names).toEqual(['the-one', 'the-one', 'the-one']);
  expect(resultOf(await ended('the-one'))).toEqual(resultOf(first));
  expect(await blobCount()).toBe(before + 1);
});

it('replays and forks a run from the file that it was archived to', async () => {
  const { runs, store } = stage.runtime;
  const first = await longRun();
  await runs.remove(first.run);
  const source = { file: localArchive(archiveOf(first.run)) };

  const replay = await ended(await runs.replay(source));
  const live = await ended(await runs.replay(source, { liveFrom: 'a5' }));
  const fork = await ended(await runs.fork(source, { at: 'a1', output: textMessage('assistant', 'EDITED', '') }));

  expect(resultOf(replay)).toEqual(resultOf(first));
  expect(resultOf(live)).toEqual(resultOf(first));
  expect(fork.status).toBe('completed');
  for (const { run } of [replay, live, fork]) expect(await audit(store, run, vocabulary)).toEqual([]);
  expect(await runs.describe(first.run)).toBeUndefined();
});

it('replays an archived replay of a fork with the output that the fork was given', async () => {
  const { runs } = stage.runtime;
  const yaml = `graph: {id: two, nodes: [{id: A, type: literal, config: {content: said}}, {id: B, type: passthrough, config: {}}], edges: [{from: A, to: B}]}`;
  const first = await ended(await runs.start({ workflow: workflowIn(yaml, vocabulary), input: 'go' }));
  const output = textMessage('assistant', 'EDITED', '');
  const fork = await ended(await runs.fork(first.run, { at: 'a1', output }));
  expect([first.outputs['B'], fork.outputs['B']]).toEqual(['said', 'EDITED']);
  const replay = await ended(await runs.replay(fork.run));
  for (const run of [first.run, fork.run, replay.run]) await runs.remove(run);

  const again = await ended(await runs.replay({ file: localArchive(archiveOf(replay.run)) }));

  expect(resultOf(again)).toEqual(resultOf(fork));
});

it.each([
  ['nothing', () => ''],
  ['something else', () => '{"a": 1}\n'],
  ['no JSON', () => 'once upon a time\n'],
  ['half a run', (text: string) => text.split('\n').slice(0, 20).join('\n')],
  ['half a line', (text: string) => text.slice(0, text.length / 2)],
  ['a journal without its messages', (text: string) => text.replaceAll(/^{"message".*\n/gm, '')],
  ['a workflow that is none', (text: string) => text.replace(/^{"workflow".*$/m, '{"workflow":{"graph":7}}')],
])('refuses a file that contains %s', async (_what, made) => {
  const { runs } = stage.runtime;
  const first = await longRun(10);
  await runs.remove(first.run);
  const file = join(directory, 'broken.jsonl');
  await writeFile(file, made(await readFile(archiveOf(first.run), 'utf8')));
  const before = await blobCount();
  const source = { file: localArchive(file) };

  await expect(runs.replay(source)).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' });
  await expect(runs.fork(source, { at: 'a3' })).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' });
  expect(await blobCount()).toBe(before);
});

const blobCount = async (name = 'blobs'): Promise<number> =>
  (await readdir(join(directory, name), { recursive: true })).filter((name) => /[0-9a-f]{64}$/.test(name)).length;
