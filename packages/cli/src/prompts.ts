import type { Task } from '@millrace/runtime';
import type { Prompt } from './reception.ts';
import type { Terminal } from './terminal.ts';

/** Shows a human node's input and what it remembers, and asks its question. */
export const promptTask =
  (terminal: Terminal): Prompt =>
  async (task: Task, signal) => {
    const { input, memory, prompt } = task.wait;
    if (memory !== undefined) await terminal.note(memory, `${task.node} remembers`);
    if (input !== '') await terminal.note(input, `${task.node} reads`);
    return terminal.ask(prompt.trim() || `${task.node}:`, signal);
  };
