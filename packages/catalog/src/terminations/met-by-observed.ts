import type { TerminationMoment, TerminationStep } from '@millrace/core';

/** Steps a condition that one delta meets: what it observed is why. */
export const metByObserved = ({ observed }: TerminationMoment<string>): TerminationStep<never> =>
  observed === undefined ? { type: 'stepped' } : { type: 'stepped', reason: observed };
