import type { Task } from '@millrace/client';
import type { Terminal } from '../output/terminal/terminal.ts';
import type { QuestionPrompt } from './question-prompter.ts';

/** Shows the input and the memory of a human node, and asks its question. */
export const promptTask =
  (terminal: Terminal): QuestionPrompt =>
  async (task: Task, signal) => {
    const { input, memory, prompt } = task;
    if (memory !== undefined) await terminal.note(memory, `${task.node} remembers`);
    if (input !== '') await terminal.note(input, `${task.node} reads`);
    const text = await terminal.ask(prompt.trim() || `${task.node}:`, signal);
    // An accidental Enter must not send an answer, because an answer is final.
    return text?.trim() === '' && !signal.aborted ? terminal.ask(onceMore, signal) : text;
  };

const onceMore = 'Nothing was written. Press Enter again to answer with nothing, or write the answer:';
