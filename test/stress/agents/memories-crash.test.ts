import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createVocabulary } from '@millrace/catalog';
import {
  connect,
  createBullQueue,
  createInlineQueue,
  createMemoryStore,
  createRedisStore,
  createShard,
} from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import type { CrashPoint, LastingStorage } from '../../support/faults/failing-store.ts';
import { failingStore, kindsOfCrashes } from '../../support/faults/failing-store.ts';
import { openBeforeAll } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import type { InProcess } from '../../support/runs/process.ts';
import { startInProcess } from '../../support/runs/process.ts';
import type { Scenario } from '../../support/runs/scenario.ts';
import { driveRun, workflowOf } from '../../support/runs/scenario.ts';

const vocabulary = createVocabulary();
const graceMs = 20;

/** An agent and a person who write to two stores of a graph of this name. */
const scenarioIn = (graph: string): Scenario => ({
  name: graph,
  input: 'dragons',
  answers: ['more fire'],
  yaml: () => `
graph:
  id: ${graph}
  memory: [{name: notes, type: simple}, {name: board, type: blackboard}]
  nodes:
    - id: A
      type: agent
      config:
        {provider: scripted, name: m, params: {default: '{n}: {last_user}'}, memories: [{name: notes}, {name: board}]}
    - {id: H, type: human, config: {memories: [{name: notes, similarity_threshold: 0}]}}
  edges: [{from: A, to: H}]
`,
});

const expected = {
  notes: [
    'Input: === INPUT FROM TASK (user) === dragons\nOutput: 1: dragons',
    'Input: === INPUT FROM A (user) === 1: dragons\nOutput: more fire',
  ],
  board: ['1: dragons'],
};

/** Starts the run, or finds it started, and sees it through; what goes wrong is tried again, as a client would. */
async function driveUntilStopped({ runs, stopped }: InProcess, run: string, scenario: Scenario): Promise<boolean> {
  while (!stopped.aborted) {
    try {
      await runs.start({ workflow: workflowOf(scenario, vocabulary), input: scenario.input, run });
      expect(await driveRun(runs, run, scenario)).toMatchObject({ status: 'completed' });
      return true;
    } catch (error) {
      if (!String(error).includes('connection to the store was lost')) throw error;
      await sleep(1);
    }
  }
  return false;
}

/** Returns the contents of a graph's stores after a run with one failed commit; undefined if it ended before that. */
async function remembered(place: LastingStorage, point: CrashPoint): Promise<typeof expected | undefined> {
  const graph = `g${randomUUID()}`;
  const run = `run_${randomUUID().replaceAll('-', '')}`;
  const { store, failed, hasFailed } = failingStore(place.store, point);
  const first = startInProcess(store, place.openQueue(), vocabulary);
  const ending = driveUntilStopped(first, run, scenarioIn(graph));
  const calm = point.process === 'continues' ? ending : Promise.race([ending, failed.then(() => false)]);
  const over = await calm.finally(() => first.stop());
  if (!hasFailed()) return undefined;
  if (!over) {
    const second = startInProcess(place.store, place.openQueue(), vocabulary);
    await driveUntilStopped(second, run, scenarioIn(graph)).finally(() => second.stop());
  }
  const textsIn = async (name: string) =>
    (await place.store.memory(`graph:${graph}:${name}`, '0', 100)).items.map(({ text }) => text);
  return { notes: await textsIn('notes'), board: await textsIn('board') };
}

/** Lets the first commit go wrong, the second, and so on until there is none left. */
async function crashEverywhere(place: LastingStorage, point: Omit<CrashPoint, 'commit'>): Promise<number> {
  for (let commit = 1; ; commit++) {
    const found = await remembered(place, { ...point, commit });
    if (found === undefined) return commit - 1;
    expect(found, `commit ${commit}`).toEqual(expected);
  }
}

describe.each(kindsOfCrashes)('when the store fails $when a commit and the process $process', (point) => {
  const installation = newInstallation();
  const connection = openBeforeAll(() => connect(installation.url, 'test'));

  it('memories are written once nevertheless, in memory', async () => {
    const openQueue = () => createInlineQueue({ onError: () => undefined });

    expect(await crashEverywhere({ store: createMemoryStore({ graceMs }), openQueue }, point)).toBeGreaterThan(8);
  });

  it('memories are written once nevertheless, in Redis', async () => {
    const prefix = installation.prefix.replace('}', `-${randomUUID()}}`);
    const store = createRedisStore({ shard: createShard(connection, prefix), graceMs });
    const waiting = { lockDurationMs: 300, stalledIntervalMs: 100 };
    const openQueue = () =>
      createBullQueue({ shard: createShard(connection, prefix), onError: () => undefined, ...waiting });

    expect(await crashEverywhere({ store, openQueue }, point)).toBeGreaterThan(8);
    await store.close();
  });
});
