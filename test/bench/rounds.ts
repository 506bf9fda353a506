import { forgetRuns } from './kept-keys.ts';
import type { Line, Pair } from './report/line.ts';
import { lineOf } from './report/line.ts';
import type { Place, ScenarioName } from './workload/scenarios.ts';
import { scenarios } from './workload/scenarios.ts';

/** Policies of Redis for writing to the disk: once a second, or before every answer. */
export const policies = ['everysec', 'always'] as const;

/** One of them. */
export type Policy = (typeof policies)[number];

/** Scenarios to measure, and the number of rounds. */
export interface Rounds {
  readonly names: readonly ScenarioName[];
  /** With `everysec`; a third of it with `always`, whose figures differ in times only. */
  readonly rounds: number;
  /** Pieces of work of each side before the first round that counts: code that was just loaded is slower. */
  readonly warmUpPieces: number;
  readonly report: (line: string) => void;
}

/** The lines of each policy. */
export type Measured = Readonly<Record<Policy, Readonly<Partial<Record<ScenarioName, Line>>>>>;

/**
 * Measures round by round. Each round takes every scenario once with each policy, and in each the two sides right after
 * one another, the other one first in the next round: whatever else the machine does meets all of them alike.
 */
export async function measure(place: Place, { names, rounds, warmUpPieces, report }: Rounds): Promise<Measured> {
  const found = { everysec: new Map<ScenarioName, Pair[]>(), always: new Map<ScenarioName, Pair[]>() };
  for (const name of names) {
    const warmUps = Math.ceil(warmUpPieces / scenarios[name].work(place.sizes).pieces);
    for (let round = 1; round <= warmUps; round++) {
      report(`warm-up ${round} of ${warmUps}: ${name}`);
      await pairOf(place, name, round);
    }
  }
  for (let round = 1; round <= rounds; round++) {
    for (const policy of policies) {
      if (policy === 'always' && round > Math.ceil(rounds / 3)) continue;
      await place.connection.config('SET', 'appendfsync', policy);
      for (const name of names) {
        report(`round ${round} of ${rounds}, appendfsync ${policy}: ${name}`);
        const pairs = found[policy].get(name) ?? [];
        found[policy].set(name, [...pairs, await pairOf(place, name, round)]);
      }
    }
    await place.connection.config('SET', 'appendfsync', 'everysec');
  }
  const lines = (policy: Policy) =>
    Object.fromEntries(
      [...found[policy]].map(([name, pairs]) => [name, lineOf(pairs, scenarios[name].work(place.sizes))]),
    );
  return { everysec: lines('everysec'), always: lines('always') };
}

async function pairOf(place: Place, name: ScenarioName, round: number): Promise<Pair> {
  const { floor, millrace } = scenarios[name];
  const oursFirst = round % 2 === 0;
  const early = oursFirst ? await millrace(place) : undefined;
  const pair = { floor: await floor(place), millrace: early ?? (await millrace(place)) };
  await forgetRuns(place.connection);
  return pair;
}
