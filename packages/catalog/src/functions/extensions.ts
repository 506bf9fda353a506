import type { ToolDefinition } from '@millrace/core';
import type { ConditionFunction } from './condition-functions.ts';
import type { DetectFunction } from './detect-functions.ts';
import type { ProcessorFunction } from './processor-functions.ts';
import type { TerminationFunction } from './termination-function.ts';

/**
 * Functions of the installation that edges and terminations can name and that models can call. One with the name of a
 * built-in function replaces it.
 */
export interface Extensions {
  readonly conditions?: ReadonlyMap<string, ConditionFunction>;
  readonly processors?: ReadonlyMap<string, ProcessorFunction>;
  /** Functions that controllers name under `detect`. */
  readonly detects?: ReadonlyMap<string, DetectFunction>;
  readonly tools?: readonly ToolDefinition[];
  readonly terminations?: ReadonlyMap<string, TerminationFunction>;
}
