import type { Task } from '@millrace/runtime';
import type { Prompt } from './reception.ts';

/** Asks the person at the terminal for a line of text; undefined when they press Ctrl-C or the signal takes it back. */
export async function promptText(message: string, signal?: AbortSignal): Promise<string | undefined> {
  const { isCancel, text } = await import('@clack/prompts');
  const answer = await text({ message, output: process.stderr, ...(signal === undefined ? {} : { signal }) });
  return isCancel(answer) ? undefined : (answer ?? '');
}

/** Shows a human node's input and what it remembers, and asks its question. */
export const promptTask: Prompt = async (task: Task, signal) => {
  const { note } = await import('@clack/prompts');
  const { input, memory, prompt } = task.wait;
  if (memory !== undefined) note(memory, `${task.node} remembers`, { output: process.stderr });
  if (input !== '') note(input, `${task.node} reads`, { output: process.stderr });
  return promptText(prompt.trim() || `${task.node}:`, signal);
};
