import type { LocalSession } from '../client/session.ts';
import type { Answers } from '../follow/answers.ts';
import { parseAnswers } from '../follow/answers.ts';
import type { QuestionPrompt } from '../follow/question-prompter.ts';
import { createQuestionPrompter, promptTask } from '../follow/question-prompter.ts';
import type { Terminal } from '../output/terminal/terminal.ts';
import type { Interruption } from '../process/interruption.ts';
import { startRun } from '../requests/start-run.ts';
import { sourceOfFile } from '../requests/workflow-source.ts';
import { loadScript, readCompanion } from '../workflow/load-workflow.ts';

/** Files of the demo: a workflow, with its script and its answers beside it. */
export interface DemoFiles {
  readonly workflow: string;
  readonly script: string;
  readonly answers: string;
}

/** Options of the demo. */
export interface DemoOptions {
  readonly files: DemoFiles;
  readonly task: string;
  readonly json: boolean;
  /** Directory of the installation; absent: a temporary one, which is removed unless the run has completed. */
  readonly keep?: string;
}

/** The demo of a session: what is run, and what ends it. */
export interface Newsroom extends DemoOptions {
  readonly interrupted: Interruption;
}

/** Starts the run of the demo, whose models follow its script. */
export async function startDemoRun(session: LocalSession, { files, task }: DemoOptions): Promise<string> {
  const { loaded, source } = await sourceOfFile(session.cli, files.workflow, { mode: 'check', variables: {} });
  if (loaded.workflow === undefined) throw new Error(`${files.workflow} cannot be read`);
  const workflow = { ...loaded.workflow, script: await loadScript(files.script) };
  return startRun(session, { workflow, source: source(), input: task, attach: [] });
}

/** Creates the prompter of the demo: the person at the terminal, or the prepared answers. */
export function prompterOf(session: LocalSession, { files, json, interrupted }: Newsroom) {
  const { terminal } = session.cli;
  const answers = parseAnswers(readCompanion(files.answers), files.answers);
  const asks = terminal.interactive && !json;
  return createQuestionPrompter({
    answer: (task, given) => session.millrace.tasks.answer(task, given),
    terminal,
    onCancel: interrupted.interrupt,
    ...(asks ? { prompt: promptOrAnswer({ terminal, answers, answerAfterMs: 15_000 }) } : { answers }),
  });
}

/** Parts of the prompt. */
interface EditorOptions {
  readonly terminal: Terminal;
  readonly answers: Answers;
  /** Time in which a person may begin to answer, in milliseconds. */
  readonly answerAfterMs: number;
}

/** Asks the person at the terminal. If the person does not begin to type, it answers from the list and does not ask again. */
export function promptOrAnswer({ terminal, answers, answerAfterMs }: EditorOptions): QuestionPrompt {
  const ask = promptTask(terminal);
  let hasTimedOut = false;
  return async (task, withdrawn) => {
    const own = answers.next(task.node) ?? 'ACCEPT';
    if (hasTimedOut) return own;
    terminal.say(
      `You are the ${task.node}. If you do not type, the demo answers “${typeof own === 'string' ? own : JSON.stringify(own)}” in ${answerAfterMs / 1000} s.`,
    );
    const over = new AbortController();
    const withdraw = () => over.abort();
    withdrawn.addEventListener('abort', withdraw);
    const timer = setTimeout(() => {
      hasTimedOut = true;
      over.abort();
    }, answerAfterMs);
    const cancelTimeout = () => clearTimeout(timer);
    // The prompt emits these events for typed keys. A listener for data would take the first key from it.
    process.stdin.once('keypress', cancelTimeout);
    const text = await ask(task, over.signal);
    process.stdin.off('keypress', cancelTimeout);
    withdrawn.removeEventListener('abort', withdraw);
    clearTimeout(timer);
    return hasTimedOut ? own : text;
  };
}
