import type { CompleteStepCommand } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { Verdict } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { StepResults } from './step-results.ts';

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
function resultsThatGet(verdict: Verdict, mostWaitMs?: number) {
  const sent: number[] = [];
  const results = new StepResults(async ({ step }) => {
    sent.push(step);
    return verdict;
  }, mostWaitMs);
  return { results, sent };
}

const turnEnds = () => new Promise<void>((resolve) => setImmediate(resolve));

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

it('lets a result wait for a request that precedes the next command', async () => {
  const { results, sent } = resultsThatGet({ type: 'accepted' }, 60_000);
  results.defer(resultOf(0));
  await results.during(turnEnds);

  expect([(await results.take())?.step, sent]).toEqual([0, []]);
});

it('sends a result alone when no command follows the request', async () => {
  const { results, sent } = resultsThatGet({ type: 'accepted' });
  results.defer(resultOf(0));
  await expect(results.during(() => Promise.reject(new Error('no slot')))).rejects.toThrow('no slot');
  await turnEnds();

  expect(sent).toEqual([0]);
});

it('does not let a result wait for a request that takes long', async () => {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const results = new StepResults(async () => {
    end();
    return { type: 'accepted' };
  });
  results.defer(resultOf(0));

  // It ends only when the result was sent.
  await results.during(() => ended);

  expect(await results.take()).toBeUndefined();
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

const stands = (code: string): boolean => code === 'STEP_BEGUN';

it('makes later commands wait for the one that takes a result along', async () => {
  const { results } = resultsThatGet({ type: 'accepted' });
  results.defer(resultOf(0));
  let answer = (_verdict: Verdict): void => undefined;
  const carried = results.carry(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
    stands,
  );
  let hasArrived = false;
  const arrived = results.arrived()?.then(() => {
    hasArrived = true;
  });
  await turnEnds();
  expect(hasArrived).toBe(false);

  answer({ type: 'accepted' });

  await arrived;
  expect(await carried).toEqual({ type: 'accepted' });
});

it.each([
  ['STEP_COMPLETED', false],
  ['STEP_BEGUN', true],
])('is interrupted by a command that is refused with %s only if its result is refused', async (code, isStored) => {
  const { results } = resultsThatGet({ type: 'accepted' });
  results.defer(resultOf(0));
  const refused = { type: 'refused', code, message: 'refused' } as const;

  expect(await results.carry(async () => refused, stands)).toEqual(refused);

  const stored = results.stored().then(
    () => true,
    () => false,
  );
  expect(await stored).toBe(isStored);
});

it.each(['take', 'stored'] as const)('tells once that a result can never be stored, and which: %s', async (next) => {
  const results = new StepResults(async () => {
    throw new NodeError('COMMIT_TOO_LARGE', 'too large');
  });
  results.defer(resultOf(3));
  await turnEnds();

  await expect(results[next]()).rejects.toMatchObject({ code: 'COMMIT_TOO_LARGE' });
  expect([results.unstorable, await results[next]()]).toEqual([3, undefined]);
});
