import type { Assignment } from './assignment.ts';
import type { Bringing } from './bringing.ts';
import type { ActivationFiles } from './files/activation-files.ts';
import type { Steps } from './host/step.ts';
import type { Telling } from './telling.ts';

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
