import { setTimeout as sleep } from 'node:timers/promises';
import { skewedBy } from '../../../support/faults/skewed.ts';
import { scenarios } from '../../../support/runs/scenarios.ts';
import type { FaultDefinition } from '../fault.ts';

const minuteMs = 60_000;
const skewsMs = [-60 * minuteMs, -10 * minuteMs, 10 * minuteMs, 60 * minuteMs];

/** A server and a worker whose clock is wrong join, start a run, and are killed some seconds later, in the middle of all else. */
export const clockSkewed: FaultDefinition = {
  times: 1,
  async inject({ chance, processes, started, note, inBackground }) {
    const skew = skewedBy(skewsMs[chance.below(skewsMs.length)] ?? 0);
    const scenario = scenarios[chance.below(scenarios.length)];
    if (scenario === undefined) return;
    const stayMs = 2000 + chance.below(4000);
    const pair = await processes.join(skew);
    const run = `clockSkewed-${started.length}`;
    await pair.start(run, scenario);
    started.push({ run, scenario });
    inBackground(
      sleep(stayMs)
        .then(pair.kill)
        .then(() => note('clockSkewed')),
    );
  },
};
