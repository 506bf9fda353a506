import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createVocabulary } from '@millrace/catalog';
import type { RunId } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { connect, openRuntime } from '@millrace/runtime';
import { beforeAll, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../support/fixtures.ts';
import { longestTurn } from '../support/longest-turn.ts';
import { newInstallation } from '../support/redis/installation.ts';
import { failSpeaker, writeLongRun } from '../support/runs/long-run.ts';

const activations = 200_000;
/** Several times what was measured: turns contain collections of garbage, which take longer on a busy machine. */
const longestMs = 250;

const vocabulary = createVocabulary();
const installation = openBeforeAll(newInstallation);
const directory = directoryBeforeAll();
const connection = openBeforeAll(() => connect(installation.url, 'test'));
const open = (): Promise<Runtime> =>
  openRuntime(
    { redisUrl: installation.url, prefix: installation.prefix, blobs: { type: 'directory', path: directory } },
    vocabulary,
    (message, error) => process.stderr.write(`${message}: ${String(error)}\n`),
  );
const writer = openBeforeAll(open);
/** A process that has not seen the run. */
const reader = openBeforeAll(open);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void; // the function of V8
function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

let run: RunId;
beforeAll(async () => {
  const site = { runtime: writer, connection, prefix: installation.prefix, vocabulary };
  run = await writeLongRun(site, activations);
  await failSpeaker(site, run);
}, 600_000);

it('holds up no process when a long run is replayed, and has a few hundred bytes of each activation', async () => {
  const { runs, store } = reader;
  const making = runs.replay(run);
  const madeMs = await longestTurn(making);
  const replay = (await store.load(await making))?.state.get('origin')?.replay;
  if (replay === undefined) throw new Error('there is no replay');
  const before = heapBytes();

  const replayed = runs.replayedStep(await making, 'a1', replay);
  const recordedMs = await longestTurn(replayed);
  const heldBytes = (heapBytes() - before) / activations;
  const repeated = runs.replayedStep(run, 'a1', replay);
  const repeatedMs = await longestTurn(repeated);
  const found = await replayed;
  const search =
    found.type === 'live' ? undefined : found.find({ step: 0, name: 'x', request: 'y', where: 'anywhere' });
  const searchedMs = await longestTurn(Promise.resolve(search));

  expect(found.type).toBe('recorded');
  expect(Math.max(madeMs, recordedMs, repeatedMs, searchedMs)).toBeLessThan(longestMs);
  expect(heldBytes).toBeLessThan(400);
}, 600_000);
