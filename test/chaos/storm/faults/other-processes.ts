import { setTimeout as sleep } from 'node:timers/promises';
import { skewedBy } from '../../../support/faults/skewed.ts';
import { scenarios } from '../../../support/runs/scenarios.ts';
import type { FaultContext, FaultDefinition } from '../fault.ts';
import type { Difference } from '../temporary-processes.ts';

const minuteMs = 60_000;
const skewsMs = [-60 * minuteMs, -10 * minuteMs, 10 * minuteMs, 60 * minuteMs];

/** Processes whose clock is wrong. */
export const clockSkewed: FaultDefinition = {
  times: 1,
  inject: (context) =>
    joinForAWhile(context, 'clockSkewed', { env: skewedBy(skewsMs[context.chance.below(skewsMs.length)] ?? 0) }),
};

/** Processes of the last build that did not check formats. */
export const earlierVersion: FaultDefinition = {
  times: 1,
  async inject(context) {
    const { earlier } = context.builds;
    if (earlier !== undefined) await joinForAWhile(context, 'earlierVersion', { build: earlier });
  },
};

/** Processes of a build that stores runs in a later format. */
export const laterVersion: FaultDefinition = {
  times: 1,
  async inject(context) {
    const { later } = context.builds;
    if (later !== undefined) await joinForAWhile(context, 'laterVersion', { build: later });
  },
};

/** A server and a worker join, start a run, and are killed some seconds later, in the middle of all else. */
async function joinForAWhile(
  { chance, processes, started, note, inBackground }: FaultContext,
  kind: string,
  difference: Difference,
): Promise<void> {
  const scenario = scenarios[chance.below(scenarios.length)];
  if (scenario === undefined) return;
  const stayMs = 2000 + chance.below(4000);
  const pair = await processes.join(difference);
  const run = `${kind}-${started.length}`;
  await pair.start(run, scenario);
  started.push({ run, scenario });
  inBackground(
    sleep(stayMs)
      .then(pair.kill)
      .then(() => note(kind)),
  );
}
