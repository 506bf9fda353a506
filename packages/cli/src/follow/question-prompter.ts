import type { Task, TaskAnswer } from '@millrace/client';
import { refusalIn } from '../exit/exit.ts';
import type { Style, Terminal } from '../output/terminal/terminal.ts';
import type { Answers } from './answers.ts';
import { asksForApproval, promptApproval } from './prompt-approval.ts';
import { promptForm } from './prompt-form.ts';

/** Answers the questions of a run: from a prepared list, or by the person at the terminal. */
export interface QuestionPrompter {
  /** Answers a question from the list at once, or adds it to the questions for the person. */
  ask(task: Task): Promise<void>;
  /** Withdraws a question, or all questions of an activation, that were answered elsewhere. */
  withdraw(task: string): void;
  /** Questions that this prompter cannot answer. */
  readonly unanswered: number;
  /** True while the person is asked. */
  readonly busy: boolean;
  /** Prints a line; it is held while the person types. */
  say(text: string, style?: Style): void;
  close(): Promise<void>;
}

/** Parts of a prompter. */
export interface QuestionPrompterOptions {
  /** Answers a question by its id. */
  readonly answer: (task: string, answer: TaskAnswer) => Promise<unknown>;
  readonly terminal: Terminal;
  readonly answers?: Answers;
  /** Asks the person; returns undefined if the person declines. Absent without a terminal. */
  readonly prompt?: QuestionPrompt;
  /** Called when the person presses Ctrl-C at a question. */
  onCancel(): void;
}

/** Asks one question; the signal withdraws it. */
export type QuestionPrompt = (task: Task, signal: AbortSignal) => Promise<TaskAnswer | undefined>;

/** Questions to a person are asked one after the other. */
export function createQuestionPrompter({
  answer,
  terminal,
  answers,
  prompt,
  onCancel,
}: QuestionPrompterOptions): QuestionPrompter {
  const open = new Map<string, AbortController>();
  const unanswered = new Set<string>();
  const heldLines: Parameters<Terminal['say']>[] = [];
  let queue = Promise.resolve();
  let asking = false;

  /** Returns whether the question is over: an answer that is not what it asks for leaves it open. */
  async function sendAnswer(task: Task, given: TaskAnswer): Promise<boolean> {
    try {
      await answer(task.id, given);
      return true;
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal === undefined) throw error;
      terminal.say(`${task.node}: ${refusal.message}`);
      return refusal.code !== 'ANSWER_INVALID';
    }
  }

  async function askPerson(task: Task, ask: QuestionPrompt, withdrawn: AbortSignal): Promise<void> {
    if (withdrawn.aborted) return;
    asking = true;
    const given = await ask(task, withdrawn).finally(() => {
      asking = false;
      for (const line of heldLines.splice(0)) terminal.say(...line);
    });
    if (given !== undefined && !(await sendAnswer(task, given))) return askPerson(task, ask, withdrawn);
    open.delete(task.id);
    if (given === undefined && !withdrawn.aborted) onCancel();
  }

  return {
    async ask(task) {
      const prepared = answers?.next(task.node);
      if (prepared !== undefined && (await sendAnswer(task, prepared))) return;
      if (prompt === undefined) {
        unanswered.add(task.id);
        return;
      }
      const controller = new AbortController();
      open.set(task.id, controller);
      queue = queue.then(() => askPerson(task, prompt, controller.signal));
      // `close` reports a failure; until then it must not count as unhandled.
      queue.catch(() => onCancel());
    },
    withdraw(task) {
      const isMeant = (id: string) => id === task || id.startsWith(`${task}.`);
      for (const [id, controller] of open) {
        if (!isMeant(id)) continue;
        controller.abort();
        open.delete(id);
      }
      for (const id of unanswered) if (isMeant(id)) unanswered.delete(id);
    },
    get unanswered() {
      return unanswered.size;
    },
    get busy() {
      return open.size > 0;
    },
    say(...line) {
      if (asking) heldLines.push(line);
      else terminal.say(...line);
    },
    async close() {
      for (const controller of open.values()) controller.abort();
      await queue;
    },
  };
}

/** Shows the input and the memory of a human node, and asks its question. */
export const promptTask =
  (terminal: Terminal): QuestionPrompt =>
  async (task: Task, signal) => {
    const { input, memory, prompt } = task;
    if (memory !== undefined) await terminal.note(memory, `${task.node} remembers`);
    if (input !== '') await terminal.note(input, `${task.node} reads`);
    if (asksForApproval(task)) return promptApproval(terminal, task, signal);
    if (task.schema !== undefined) return promptForm(terminal, task, signal);
    const text = await terminal.ask(prompt.trim() || `${task.node}:`, signal);
    // An accidental Enter must not send an answer, because an answer is final.
    return text?.trim() === '' && !signal.aborted ? terminal.ask(onceMore, signal) : text;
  };

const onceMore = 'Nothing was written. Press Enter again to answer with nothing, or write the answer:';
