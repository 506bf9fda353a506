import type { Vocabulary } from '@millrace/core';
import { readWorkflow } from '@millrace/core';
import type { ReadReply, ReadTask } from './read-task.ts';

/** File name in the problems of a text without a file. */
export const file = 'workflow.yaml';

/** Executes a task in this thread. */
export function readNow({ text, wants, ...options }: ReadTask, vocabulary: Vocabulary): ReadReply {
  const { workflow, ...rest } = readWorkflow({ file, text }, { vocabulary, ...options });
  const isValid = workflow !== undefined;
  return isValid && wants === 'workflow' ? { ...rest, isValid, workflow } : { ...rest, isValid };
}
