import type { ExtensionNames, ReadLimits, ReadOptions, ReadResult } from '@millrace/core';

/** What a thread that reads workflows knows of its installation. */
export interface ReadThreadData {
  readonly extensions: ExtensionNames;
  readonly limits?: ReadLimits;
}

/** A text that is to be read, and how. */
export interface ReadTask extends Pick<ReadOptions, 'mode' | 'variables' | 'compat'> {
  readonly text: string;
  /** `issues`: the workflow itself is left out of the result. */
  readonly wants: 'workflow' | 'issues';
}

/** What came of it. */
export interface ReadReply extends ReadResult {
  readonly isValid: boolean;
}
