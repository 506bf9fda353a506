import type { ConditionInput, ConditionStepResult } from '@millrace/core';

/** Steps a condition that one delta meets: what it observed is why. */
export const meetOnObservation = ({ observed }: ConditionInput<string>): ConditionStepResult<never> =>
  observed === undefined ? { type: 'stepped' } : { type: 'stepped', reason: observed };
