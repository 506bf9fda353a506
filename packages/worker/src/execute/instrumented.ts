import { tenantOf } from '@millrace/core';
import type { Attempt, AttemptEnd } from '@millrace/runtime';
import type { Logger } from 'pino';
import type { Assignment } from '../context/activation-context.ts';
import type { Crew } from '../context/worker-context.ts';

/** What witnesses and logs are told of an attempt. */
const attemptOf = ({ wake, node, segment, trace }: Assignment): Attempt => ({
  run: wake.run,
  activation: wake.activation,
  node: node?.id ?? '',
  type: node?.type,
  segment,
  trace,
});

/** What works on an attempt that is heard of. */
interface Witnessed {
  readonly crew: Crew;
  readonly attempt: Attempt;
  readonly end: (end: AttemptEnd) => void;
}

/** A crew for one attempt, whose log says which, and what is to hear of its end. */
export function witnessed(crew: Crew, assignment: Assignment): Witnessed {
  const attempt = attemptOf(assignment);
  const { run, activation, node } = attempt;
  let log: Logger | undefined;
  const said = {
    ...crew,
    // Most attempts have nothing to say, and a child of a log is dear.
    get log() {
      log ??= crew.log.child({ run, activation, node, tenant: tenantOf(run), ...crew.witnesses.mark(attempt) });
      return log;
    },
  };
  return { crew: said, attempt, end: crew.witnesses.attempt(attempt) };
}
