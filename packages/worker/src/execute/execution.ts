import type { ActivationContext } from '../context/activation-context.ts';
import type { ActivationFiles } from '../context/activation-files.ts';
import type { Steps } from '../context/steps.ts';
import type { TerminationObservation } from '../context/termination-observation.ts';
import type { BodyCollector } from './body-collector.ts';

/** One piece of work in hand. */
export interface Execution {
  readonly context: ActivationContext;
  readonly collector: BodyCollector;
  readonly signal: AbortSignal;
  /** What terminations are told of it. */
  readonly observation: TerminationObservation;
  /** Of this attempt; those of the node come before those of its edges. */
  readonly steps: Steps;
  readonly files: ActivationFiles;
}
