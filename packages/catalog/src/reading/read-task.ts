import type { Budget, ExtensionNames, ReadLimits, ReadOptions, ReadResult } from '@millrace/core';

/** Data of the installation for a process that reads workflows. */
export interface ReadChildData {
  readonly extensions: ExtensionNames;
  readonly limits?: ReadLimits;
}

/** A text to read, with options. */
export interface ReadTask extends Pick<ReadOptions, 'mode' | 'variables' | 'compat'> {
  readonly text: string;
  /** `issues`: the result does not contain the workflow itself. */
  readonly wants: 'workflow' | 'issues';
}

/** A text to read for a run, with the parts of its budget that the run has in place of those of the text. */
export interface RunReadTask extends ReadTask {
  readonly budget?: Budget;
}

/** Result of a task. */
export interface ReadReply extends ReadResult {
  readonly isValid: boolean;
}
