import { tenantOf } from '@millrace/core';
import type { Attempt, AttemptEnd } from '@millrace/runtime';
import type { Logger } from 'pino';
import type { ActivationContext } from '../context/activation-context.ts';
import type { WorkerContext } from '../context/worker-context.ts';

/** Returns what instrumentation and logs show of an attempt. */
const attemptOf = ({ wake, node, segment, trace }: ActivationContext): Attempt => ({
  run: wake.run,
  activation: wake.activation,
  node: node?.id ?? '',
  type: node?.type,
  segment,
  trace,
});

/** An attempt with its instrumentation. */
interface InstrumentedAttempt {
  readonly crew: WorkerContext;
  readonly attempt: Attempt;
  readonly end: (end: AttemptEnd) => void;
}

/** Makes a worker context for one attempt, whose log names the attempt, and begins its instrumentation. */
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
