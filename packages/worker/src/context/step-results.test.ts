import type { CompleteStepCommand } from '@millrace/core';
import type { Verdict } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { createStepResults } from './step-results.ts';

const resultOf = (step: number): CompleteStepCommand => ({
  type: 'step.complete',
  activation: 'a1',
  token: 't',
  step,
  name: 'ask',
  request: 'q',
  bodies: [],
});

/** Results of steps with the numbers of those that were sent alone, each of which gets this verdict. */
function resultsThatGet(verdict: Verdict) {
  const sent: number[] = [];
  const results = createStepResults(async ({ step }) => {
    sent.push(step);
    return verdict;
  });
  return { results, sent };
}

const turnEnds = () => new Promise((resolve) => setImmediate(resolve));

it('gives a result to the next command of the same turn', async () => {
  const { results, sent } = resultsThatGet({ type: 'accepted' });
  results.defer(resultOf(0));

  const taken = await results.take();
  await turnEnds();

  expect([taken?.step, sent]).toEqual([0, []]);
});

it('sends a result alone at the end of the turn', async () => {
  const { results, sent } = resultsThatGet({ type: 'accepted' });
  results.defer(resultOf(0));
  await turnEnds();

  expect([await results.take(), sent]).toEqual([undefined, [0]]);
});

it('sends the first of two results of one turn', async () => {
  const { results, sent } = resultsThatGet({ type: 'accepted' });
  results.defer(resultOf(0));
  results.defer(resultOf(1));

  await results.stored();

  expect(sent).toEqual([0, 1]);
});

it.each(['take', 'stored'] as const)('interrupts an attempt whose result was refused: %s', async (next) => {
  const { results } = resultsThatGet({ type: 'refused', code: 'STEP_COMPLETED', message: 'already completed' });
  results.defer(resultOf(0));
  await turnEnds();

  await expect(results[next]()).rejects.toMatchObject({ name: 'Interrupted', message: 'already completed' });
});
