import type { Assignment } from './assignment.ts';
import type { Bringing } from './bringing.ts';

/** One piece of work in hand. */
export interface Performing {
  readonly assignment: Assignment;
  readonly bringing: Bringing;
  readonly signal: AbortSignal;
}
