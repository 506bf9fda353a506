import type { ToolDefinition } from '@millrace/core';
import type { TextCondition } from './condition-functions.ts';
import type { Detect } from './detect-functions.ts';
import type { TextProcessor } from './processor-functions.ts';
import type { TerminationFunction } from './termination-function.ts';

/**
 * Functions of the installation that edges and terminations can name and that models can call. One of the same name as a
 * built-in function takes its place.
 */
export interface Extensions {
  readonly conditions?: ReadonlyMap<string, TextCondition>;
  readonly processors?: ReadonlyMap<string, TextProcessor>;
  /** Functions that controllers name under `detect`. */
  readonly detects?: ReadonlyMap<string, Detect>;
  readonly tools?: readonly ToolDefinition[];
  readonly terminations?: ReadonlyMap<string, TerminationFunction>;
}
