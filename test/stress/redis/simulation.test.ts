import { createVocabulary } from '@millrace/catalog';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { usuallyOr } from '../../support/exhaustive.ts';
import { chanceOf } from '../../support/faults/seeded.ts';
import type { Roughness } from '../../support/faults/simulation.ts';
import { createSimulation } from '../../support/faults/simulation.ts';
import { audit } from '../../support/runs/audit.ts';
import { resultOf, resultWithoutFaults } from '../../support/runs/scenario.ts';
import { scenarios } from '../../support/runs/scenarios.ts';

const vocabulary = createVocabulary();

const weathers: Readonly<Record<string, Roughness>> = {
  'wakes come in any order': { kill: 0, loseWake: 0, repeatWake: 0, fail: 0, meddle: 0 },
  'wakes get lost or come twice': { kill: 0, loseWake: 4, repeatWake: 3, fail: 0, meddle: 0 },
  'processes die at any moment': { kill: 40, loseWake: 10, repeatWake: 4, fail: 0, meddle: 0 },
  'the store fails now and then': { kill: 0, loseWake: 0, repeatWake: 8, fail: 12, meddle: 0 },
  'it is paused, stopped and resumed all the while': { kill: 60, loseWake: 8, repeatWake: 4, fail: 20, meddle: 25 },
  'everything goes wrong at once': { kill: 40, loseWake: 5, repeatWake: 3, fail: 20, meddle: 0 },
};

/** A failure names its seed; more of them are tried with a larger number of seeds in the environment. */
const seeds = Array.from(
  { length: Number(process.env['MILLRACE_SEEDS'] ?? usuallyOr(6, 40)) },
  (_, index) => index + 1,
);

// Timers belong to the simulation; a call of `setImmediate` is how it lets everything else happen.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe.each(scenarios)('$name', (scenario) => {
  it.each(Object.entries(weathers))('has the same result when %s', async (_weather, roughness) => {
    const expected = await resultWithoutFaults(scenario, vocabulary);

    for (const seed of seeds) {
      const moveClock = async (ms: number) => void (await vi.advanceTimersByTimeAsync(ms));
      const simulation = createSimulation(vocabulary, chanceOf(seed), { roughness, moveClock });
      const description = await simulation.play(scenario);

      expect(resultOf(description), `seed ${seed}`).toEqual(expected);
      expect(await audit(simulation.store, description.run, vocabulary), `seed ${seed}`).toEqual([]);
    }
  });
});
