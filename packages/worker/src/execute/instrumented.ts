import { tenantOf } from '@millrace/core';
import type { Attempt, AttemptEnd } from '@millrace/runtime';
import type { Logger } from 'pino';
import type { ActivationContext } from '../context/activation-context.ts';
import type { WorkerContext } from '../context/worker-context.ts';

/** What witnesses and logs are told of an attempt. */
const attemptOf = ({ wake, node, segment, trace }: ActivationContext): Attempt => ({
  run: wake.run,
  activation: wake.activation,
  node: node?.id ?? '',
  type: node?.type,
  segment,
  trace,
});

/** What works on an attempt that is heard of. */
interface InstrumentedAttempt {
  readonly crew: WorkerContext;
  readonly attempt: Attempt;
  readonly end: (end: AttemptEnd) => void;
}

/** A crew for one attempt, whose log says which, and what is to hear of its end. */
export function instrumented(worker: WorkerContext, context: ActivationContext): InstrumentedAttempt {
  const attempt = attemptOf(context);
  const { run, activation, node } = attempt;
  let log: Logger | undefined;
  const said = {
    ...worker,
    // Most attempts have nothing to say, and a child of a log is dear.
    get log() {
      log ??= worker.log.child({
        run,
        activation,
        node,
        tenant: tenantOf(run),
        ...worker.instrumentation.mark(attempt),
      });
      return log;
    },
  };
  return { crew: said, attempt, end: worker.instrumentation.attempt(attempt) };
}
