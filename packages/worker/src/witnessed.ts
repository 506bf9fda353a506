import { tenantOf } from '@millrace/core';
import type { Attempt, AttemptEnd } from '@millrace/runtime';
import type { Assignment } from './assignment.ts';
import type { Crew } from './crew.ts';

/** What witnesses and logs are told of an attempt. */
export const attemptOf = ({ wake, node, segment, trace }: Assignment): Attempt => ({
  run: wake.run,
  activation: wake.activation,
  node: node?.id ?? '',
  type: node?.type,
  segment,
  trace,
});

/** A crew for one attempt, whose log says which, and what is to hear of its end. */
export function witnessed(crew: Crew, assignment: Assignment): { crew: Crew; end: (end: AttemptEnd) => void } {
  const attempt = attemptOf(assignment);
  const { run, activation, node } = attempt;
  const log = crew.log.child({ run, activation, node, tenant: tenantOf(run), ...crew.witnesses.mark(attempt) });
  return { crew: { ...crew, log }, end: crew.witnesses.attempt(attempt) };
}
