import { expect, it } from 'vitest';
import { usuallyOr } from '../../support/exhaustive.ts';
import { killAtCalls } from '../../support/faults/lost-calls.ts';

const rounds = usuallyOr(1, 21);
/** For each copy, a round is 24 kills at calls, 8 at approvals, and up to 4 at answers of people. */
const copies = usuallyOr(1, 3);

it('makes no call twice or unapproved, and hides no unknown outcome, wherever its worker is killed', {
  timeout: 3_600_000,
}, async () => {
  const { kills, unknown, ...wrong } = await killAtCalls({ rounds, copies });

  expect(wrong).toEqual({ paidTwice: [], unapproved: [], hidden: [], violations: [] });
  expect(kills).toBeGreaterThanOrEqual(rounds * copies * 32);
  // Those that were begun or executed without an answer, at least, unless the worker died of an approval before.
  expect(unknown).toBeGreaterThanOrEqual(rounds * copies * 12);
});
