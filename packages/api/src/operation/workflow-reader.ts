import type { ReadOptions, ReadResult } from '@millrace/core';

/** Reads texts of workflows. */
export interface WorkflowReader {
  /** Reads a text for an owner and returns its problems. Throws RequestError if too many texts of the owner wait. */
  read(task: ReadTask, owner: string): Promise<ReadReply>;
}

/** A text to read, and how to read it. */
interface ReadTask extends Pick<ReadOptions, 'mode' | 'variables' | 'compat'> {
  readonly text: string;
  /** `issues`: the result does not contain the workflow. */
  readonly wants: 'workflow' | 'issues';
}

/** A workflow, if it has no error, and every problem that was found. */
export interface ReadReply extends ReadResult {
  readonly isValid: boolean;
}
