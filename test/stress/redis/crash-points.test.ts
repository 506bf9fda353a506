import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createVocabulary } from '@millrace/catalog';
import { RequestError } from '@millrace/core';
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
import { audit } from '../../support/runs/audit.ts';
import type { InProcess } from '../../support/runs/process.ts';
import { limitsOfSmallParts, startInProcess } from '../../support/runs/process.ts';
import type { Result, Scenario } from '../../support/runs/scenario.ts';
import { driveRun, resultOf, resultWithoutFaults, workflowOf } from '../../support/runs/scenario.ts';
import {
  awaitedSignal,
  chain,
  cycle,
  earlySignal,
  human,
  map,
  missedSignal,
  stopped,
} from '../../support/runs/scenarios.ts';

const vocabulary = createVocabulary();
const graceMs = 20;

/** Starts the scenario, or finds it started, and sees it through; what goes wrong is tried again, as a client would. */
async function driveUntilStopped(
  { runs, stopped }: InProcess,
  run: string,
  scenario: Scenario,
): Promise<Result | undefined> {
  while (!stopped.aborted) {
    try {
      await runs.start({ workflow: workflowOf(scenario, vocabulary), input: scenario.input, run });
      return resultOf(await driveRun(runs, run, scenario));
    } catch (error) {
      await sleep(1);
      if (error instanceof RequestError || !String(error).includes('connection to the store was lost')) throw error;
    }
  }
  return undefined;
}

/** Plays a scenario with a crash; undefined when the run was over before its time came. */
async function crash(place: LastingStorage, scenario: Scenario, point: CrashPoint): Promise<Result | undefined> {
  const run = `run_${randomUUID().replaceAll('-', '')}`;
  const { store, failed, hasFailed } = failingStore(place.store, point);
  const first = startInProcess(store, place.openQueue(), vocabulary);
  const ending = driveUntilStopped(first, run, scenario);
  const calm = point.process === 'continues' ? ending : Promise.race([ending, failed.then(() => undefined)]);
  const result = await calm.finally(() => first.stop());
  if (!hasFailed()) return undefined;
  if (result !== undefined) return audited(place, run, result);
  const second = startInProcess(place.store, place.openQueue(), vocabulary);
  return audited(place, run, await driveUntilStopped(second, run, scenario).finally(() => second.stop()));
}

async function audited(
  { store }: LastingStorage,
  run: string,
  result: Result | undefined,
): Promise<Result | undefined> {
  expect(await audit(store, run, vocabulary)).toEqual([]);
  return result;
}

/** Crashes at the first commit, the second, and so on until there is none left. */
async function crashEverywhere(
  place: LastingStorage,
  scenario: Scenario,
  point: Omit<CrashPoint, 'commit'>,
): Promise<number> {
  const expected = await resultWithoutFaults(scenario, vocabulary, limitsOfSmallParts);
  for (let commit = 1; ; commit++) {
    const result = await crash(place, scenario, { ...point, commit });
    if (result === undefined) return commit - 1;
    expect(result, `commit ${commit}`).toEqual(expected);
  }
}

describe.each(kindsOfCrashes)('a process whose store fails $when a commit and that $process', (point) => {
  it.each([chain, cycle, map, human, stopped, earlySignal, awaitedSignal, missedSignal])(
    'does not change the result of $name, whichever commit it is',
    async (scenario) => {
      const place: LastingStorage = {
        store: createMemoryStore({ graceMs }),
        openQueue: () => createInlineQueue({ onError: () => undefined }),
      };

      expect(await crashEverywhere(place, scenario, point)).toBeGreaterThan(scenario.answers.length + 5);
    },
  );
});

describe('in Redis', () => {
  const installation = newInstallation();
  const connection = openBeforeAll(() => connect(installation.url, 'test'));

  it.each(kindsOfCrashes)(
    'the result is the same when the store fails $when a commit and the process $process',
    async (point) => {
      const prefix = installation.prefix.replace('}', `-${randomUUID()}}`);
      const place: LastingStorage = {
        store: createRedisStore({ shard: createShard(connection, prefix), graceMs }),
        openQueue: () =>
          createBullQueue({
            shard: createShard(connection, prefix),
            onError: () => undefined,
            lockDurationMs: 300,
            stalledIntervalMs: 100,
          }),
      };

      expect(await crashEverywhere(place, chain, point)).toBeGreaterThan(5);
      await place.store.close();
    },
  );
});
