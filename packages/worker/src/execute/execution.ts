import type { Assignment } from '../context/activation-context.ts';
import type { ActivationFiles } from '../context/activation-files.ts';
import type { Steps } from '../context/steps.ts';
import type { Telling } from '../context/termination-observation.ts';
import type { Bringing } from './body-collector.ts';

/** One piece of work in hand. */
export interface Performing {
  readonly assignment: Assignment;
  readonly bringing: Bringing;
  readonly signal: AbortSignal;
  /** What terminations are told of it. */
  readonly telling: Telling;
  /** Of this attempt; those of the node come before those of its edges. */
  readonly steps: Steps;
  readonly files: ActivationFiles;
}
