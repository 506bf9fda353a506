import type { Answers } from '../follow/answers.ts';
import { promptTask } from '../follow/prompts.ts';
import type { QuestionPrompt } from '../follow/question-prompter.ts';
import type { Terminal } from '../output/terminal/terminal.ts';

/** Parts of the prompt. */
export interface EditorOptions {
  readonly terminal: Terminal;
  readonly answers: Answers;
  /** Time in which a person may begin to answer, in milliseconds. */
  readonly answerAfterMs: number;
}

/** Asks the person at the terminal. If the person does not begin to type, it answers from the list and does not ask again. */
export function promptOrAnswer({ terminal, answers, answerAfterMs }: EditorOptions): QuestionPrompt {
  const ask = promptTask(terminal);
  let nobodyIsThere = false;
  return async (task, withdrawn) => {
    const own = answers.next(task.node) ?? 'ACCEPT';
    if (nobodyIsThere) return own;
    terminal.say(
      `You are the ${task.node}. If you do not type, the demo answers “${own}” in ${answerAfterMs / 1000} s.`,
    );
    const over = new AbortController();
    const withdraw = () => over.abort();
    withdrawn.addEventListener('abort', withdraw);
    const timer = setTimeout(() => {
      nobodyIsThere = true;
      over.abort();
    }, answerAfterMs);
    const stay = () => clearTimeout(timer);
    // The prompt emits these events for typed keys. A listener for data would take the first key from it.
    process.stdin.once('keypress', stay);
    const text = await ask(task, over.signal);
    process.stdin.off('keypress', stay);
    withdrawn.removeEventListener('abort', withdraw);
    clearTimeout(timer);
    return nobodyIsThere ? own : text;
  };
}
