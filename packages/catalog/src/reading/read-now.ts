import type { Vocabulary } from '@millrace/core';
import { readWorkflow } from '@millrace/core';
import type { ReadReply, ReadTask } from './read-task.ts';

/** The name that problems of a text without a file are reported under. */
export const file = 'workflow.yaml';

/** Carries out a task in this thread. */
export function readNow({ text, wants, ...options }: ReadTask, vocabulary: Vocabulary): ReadReply {
  const { workflow, ...rest } = readWorkflow({ file, text }, { vocabulary, ...options });
  const isValid = workflow !== undefined;
  return isValid && wants === 'workflow' ? { ...rest, isValid, workflow } : { ...rest, isValid };
}
