import type { Issue, Vocabulary } from '@millrace/core';
import { isTooDeep, readWorkflow } from '@millrace/core';
import type { ReadReply, ReadTask } from './read-task.ts';

/** File name in the problems of a text without a file. */
export const file = 'workflow.yaml';

/** Executes a task. What nests so deeply that reading it needs more stack than there is, is a problem of the text. */
export function readNow(task: ReadTask, vocabulary: Vocabulary): ReadReply {
  if (isTooDeep(task.variables)) return tooDeep('Variables nest');
  try {
    return read(task, vocabulary);
  } catch (error) {
    if (error instanceof RangeError) return tooDeep('Something in the workflow nests');
    throw error;
  }
}

function read({ text, wants, ...options }: ReadTask, vocabulary: Vocabulary): ReadReply {
  const { workflow, ...rest } = readWorkflow({ file, text }, { vocabulary, ...options });
  const isValid = workflow !== undefined;
  return isValid && wants === 'workflow' ? { ...rest, isValid, workflow } : { ...rest, isValid };
}

function tooDeep(what: string): ReadReply {
  const message = `${what} more deeply than can be read`;
  const issue: Issue = {
    code: 'E_READ_LIMIT',
    severity: 'error',
    path: '',
    message,
    hint: 'Use fewer levels.',
    file,
    line: 1,
    column: 1,
  };
  return { isValid: false, issues: [issue] };
}
