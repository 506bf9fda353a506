import { expect, it } from 'vitest';
import { usuallyOr } from '../../support/exhaustive.ts';
import { killAtCalls } from '../../support/faults/lost-calls.ts';

const rounds = usuallyOr(2, 25);
/** A round is 20 kills at calls for each copy, and up to 4 at answers of people. */
const copies = usuallyOr(1, 4);

it('makes no call twice, and hides no unknown outcome, wherever its worker is killed', {
  timeout: 3_600_000,
}, async () => {
  const { kills, unknown, ...wrong } = await killAtCalls({ rounds, copies });

  expect(wrong).toEqual({ paidTwice: [], hidden: [], violations: [] });
  expect(kills).toBeGreaterThanOrEqual(rounds * copies * 20);
  // Those that were begun or executed without an answer, at least.
  expect(unknown).toBeGreaterThanOrEqual(rounds * copies * 10);
});
