import type { Wake } from '@millrace/core';
import type { AskedStep } from '@millrace/worker';

/** The steps that the nodes of runs asked for, in the last attempt at each activation. */
export interface StepLog {
  /** To be called for each step; see `onStep` of workers. */
  readonly onStep: (activation: Pick<Wake, 'run' | 'activation'>, step: AskedStep) => void;
  /** Returns the step that an activation asked for last. */
  last(activation: string): AskedStep | undefined;
  /** Returns a step of an activation by its number. */
  at(activation: string, step: number): AskedStep | undefined;
}

/** Creates the log of one run. */
export function createStepLog(): StepLog {
  const steps = new Map<string, AskedStep[]>();
  return {
    onStep({ activation }, step) {
      const known = steps.get(activation) ?? [];
      known.length = step.step;
      known[step.step] = step;
      steps.set(activation, known);
    },
    last: (activation) => steps.get(activation)?.at(-1),
    at: (activation, step) => steps.get(activation)?.[step],
  };
}
