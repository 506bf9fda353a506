import type { ConditionInput, ConditionStepResult } from '@millrace/core';

/** Steps a condition that one observation satisfies: the observation is the reason. */
export const meetOnObservation = ({ observed }: ConditionInput<string>): ConditionStepResult<never> =>
  observed === undefined ? { type: 'stepped' } : { type: 'stepped', reason: observed };
