import { expect, it } from 'vitest';
import { usuallyOr } from '../../support/exhaustive.ts';
import { killAtCalls } from '../../support/faults/lost-calls.ts';

/** A round is 20 kills at a call, and up to 4 at an answer of a person. */
const rounds = usuallyOr(2, 100);

it('makes no call twice, and hides no unknown outcome, wherever its worker is killed', {
  timeout: 3_600_000,
}, async () => {
  const { kills, unknown, ...wrong } = await killAtCalls(rounds);

  expect(wrong).toEqual({ paidTwice: [], hidden: [], violations: [] });
  expect(kills).toBeGreaterThanOrEqual(rounds * 20);
  // Those that were begun or executed without an answer, at least.
  expect(unknown).toBeGreaterThanOrEqual(rounds * 10);
});
