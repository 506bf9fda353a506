import { setTimeout as sleep } from 'node:timers/promises';
import { createVocabulary } from '@millrace/catalog';
import type { Chance } from '../../support/faults/seeded.ts';
import { chanceOf } from '../../support/faults/seeded.ts';
import { openSmallDisk } from '../../support/faults/small-disk.ts';
import type { Fleet } from '../../support/runs/fleet.ts';
import { openFleet } from '../../support/runs/fleet.ts';
import type { Result, Scenario } from '../../support/runs/scenario.ts';
import { resultWithoutFaults } from '../../support/runs/scenario.ts';
import { scenarios } from '../../support/runs/scenarios.ts';
import type { Fault, StartedRun } from './fault.ts';
import { graceful } from './fault.ts';
import { isOfLaterVersion } from './faults/later-version.ts';
import { openHostileRuns } from './hostile-runs.ts';
import type { FaultKind } from './inject-faults.ts';
import { countByKind, createFaults } from './inject-faults.ts';
import { loseData } from './lose-data.ts';
import { recoveries, startedTwice } from './recovery.ts';
import { openTemporaryProcesses } from './temporary-processes.ts';

/** Options of a storm. */
export interface StormOptions {
  readonly seconds: number;
  /** Decides which workflows are run and what goes wrong when; how that meets the clock is never the same twice. */
  readonly seed: number;
  readonly say: (line: string) => void;
}

/** Result of a storm. */
export interface StormReport {
  readonly runs: number;
  readonly activations: number;
  readonly faults: Readonly<Record<FaultKind, number>>;
  /** Activations that were begun more than once, which is allowed. */
  readonly executedTwice: number;
  /** Activations that were settled more than once, which is not. */
  readonly committedTwice: number;
  /** Runs that have not ended, and activations that a completed run has forgotten. */
  readonly lost: number;
  readonly leftoverKeys: number;
  /** Number of times that Redis was emptied while a client followed a run: once, after all else. */
  readonly dataLost: number;
  /** From a fault until work continued; see recovery.ts. */
  readonly recoveryMs: { readonly p50: number; readonly max: number };
  readonly seed: number;
  /** Faults that could not be injected here, and why. */
  readonly leftOut: readonly string[];
  /** All that must not be, in words. */
  readonly broken: readonly string[];
}

const workerCount = 3;
const runsAtATime = 8;
const diskMegabytes = 96;
const delaysMs = [0, 80, 250];

interface PlayedRun extends StartedRun {
  /** Absent when it has not ended. */
  readonly result: Result | undefined;
  /** Name of the run and its last events, if it had not ended when the wait for its end was over. */
  readonly unended?: string;
}

interface EndedRun extends StartedRun {
  readonly result: Result;
}

/** Runs workflows of all shapes for a while, while everything goes wrong, and then looks what has become of them. */
export async function storm({ seconds, seed, say }: StormOptions): Promise<StormReport> {
  const disk = openSmallDisk(diskMegabytes);
  // Where no disk can be mounted, the arguments stay as they are.
  const fleet = await openFleet(disk === undefined ? [] : ['--dir', disk.path, '--auto-aof-rewrite-min-size', '8mb']);
  const hostile = openHostileRuns(fleet);
  const environment = Object.entries(hostile.env);
  // All processes of the storm inherit them.
  for (const [name, value] of environment) process.env[name] = value;
  const processes = openTemporaryProcesses(fleet);
  try {
    const chance = chanceOf(seed);
    const until = Date.now() + seconds * 1000;
    const workers = await Promise.all(Array.from({ length: workerCount }, () => fleet.startWorker(graceful)));
    const faults = createFaults({ fleet, processes, hostile, disk, workers, chance, say, seconds });
    const players = Array.from({ length: runsAtATime }, (_, at) => play(fleet, chanceOf(seed + at + 1), until));
    while (Date.now() < until) {
      await sleep(300 + chance.below(1200));
      await faults.strike();
    }
    await faults.end();
    say('the storm is over; waiting for the runs that are under way');
    const others = faults.started.map((started) => followed(fleet, started));
    const played = [...(await Promise.all(players)).flat(), ...(await Promise.all(others))];
    const unended = played.flatMap((one) => one.unended ?? []);
    const harmful = await hostile.judge();
    const ended = played.flatMap(({ result, ...started }) => (result === undefined ? [] : [{ ...started, result }]));
    const report = await judge(fleet, { ended, unended }, { seed, faults: faults.happened });
    faults.close();
    say('dataLost');
    const leftOut = disk === undefined ? ['diskFull: no disk can be mounted here'] : [];
    return {
      ...report,
      dataLost: 1,
      leftOut,
      broken: [...report.broken, ...harmful, ...faults.broken, ...(await loseData(fleet))],
    };
  } finally {
    for (const [name] of environment) delete process.env[name];
    hostile.close();
    await processes.close();
    await fleet.close();
    disk?.close();
  }
}

async function play(fleet: Fleet, chance: Chance, until: number): Promise<PlayedRun[]> {
  const played: PlayedRun[] = [];
  while (Date.now() < until) {
    const scenario = scenarios[chance.below(scenarios.length)];
    if (scenario === undefined) continue;
    const run = await fleet.start(scenario, delaysMs[chance.below(delaysMs.length)] ?? 0);
    played.push(await followed(fleet, { run, scenario }));
  }
  return played;
}

/** Follows a run to its end. */
async function followed(fleet: Fleet, { run, scenario }: StartedRun): Promise<PlayedRun> {
  const result = await fleet.finish(run, scenario);
  if (result.status !== 'running' && result.status !== 'waiting') return { run, scenario, result };
  const last = (await fleet.journal(run))
    .slice(-3)
    .map(({ at, event }) => `${new Date(at).toISOString()} ${JSON.stringify(event)}`);
  return { run, scenario, result: undefined, unended: `${run} (${scenario.name}) has not ended. ${last.join(' ')}` };
}

interface Outcomes {
  readonly ended: readonly EndedRun[];
  readonly unended: readonly string[];
}

interface Weather {
  readonly seed: number;
  readonly faults: readonly Fault[];
}

async function judge(
  fleet: Fleet,
  { ended, unended }: Outcomes,
  { seed, faults }: Weather,
): Promise<Omit<StormReport, 'dataLost' | 'leftOut'>> {
  const vocabulary = createVocabulary();
  const expected = new Map<Scenario, string>();
  for (const scenario of scenarios)
    expected.set(scenario, JSON.stringify(await resultWithoutFaults(scenario, vocabulary)));
  const wrong = ended.filter(({ scenario, result }) => JSON.stringify(result) !== expected.get(scenario));
  const runs = ended.map(({ run }) => run);
  const { leftovers, violations } = await fleet.inspect(runs, isOfLaterVersion);
  const journals = await Promise.all(runs.map((run) => fleet.journal(run)));
  const times = recoveries(journals, faults).sort((a, b) => a - b);

  return {
    runs: ended.length,
    activations: ended.reduce((sum, { result }) => sum + result.activations, 0),
    faults: countByKind(faults),
    executedTwice: startedTwice(journals),
    committedTwice: violations.filter(({ code }) => code === 'SETTLED_TWICE').length,
    lost: unended.length + violations.filter(({ code }) => code === 'LOST').length,
    leftoverKeys: leftovers.length,
    recoveryMs: { p50: times[Math.floor(times.length / 2)] ?? 0, max: times.at(-1) ?? 0 },
    seed,
    broken: [
      ...unended,
      ...wrong.map(({ run, scenario, result }) => `${run} (${scenario.name}) came to ${JSON.stringify(result)}`),
      ...violations.map(({ run, code, subject, message }) => `${run} ${code} ${subject}: ${message}`),
      ...leftovers.map((key) => `left over: ${key}`),
    ],
  };
}
