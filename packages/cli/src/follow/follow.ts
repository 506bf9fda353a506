import { setInterval } from 'node:timers/promises';
import type { RunEvent, RunHandle, StreamEvent, Task } from '@millrace/client';
import { parseQuestionId, questionId, questionOf } from '@millrace/core/question-id';
import type { LocalSession, Session } from '../client/session.ts';
import { isLocal } from '../client/session.ts';
import { ownWorkerName } from '../client/worker-name.ts';
import { answerCommand, callText } from '../output/question-text.ts';
import type { LiveView } from '../output/terminal/live-view.ts';
import { createLiveView } from '../output/terminal/live-view.ts';
import type { Style } from '../output/terminal/terminal.ts';
import { describe, rethrowUnknownRun } from '../requests/resolve-run.ts';
import type { Line } from './progress.ts';
import { createProgress, graphLevelsOf } from './progress.ts';
import type { QuestionPrompter } from './question-prompter.ts';
import { createWorkerHint } from './worker-environment.ts';

/** Options of following a run. */
export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Answers questions; absent: questions stay open, and the run is followed nevertheless. */
  readonly prompter?: QuestionPrompter;
  /** Returns whether this process executes the run; absent: if the run is in its memory. */
  executes?(): boolean;
  /** Called with each entry, for output in JSON. */
  onEntry?(entry: RunEvent): void;
}

/** Run that is followed. */
interface FollowedRun {
  readonly session: Session;
  readonly run: RunHandle;
  readonly options: FollowOptions;
}

/**
 * Prints the progress of a run from its beginning until it ends, until it waits for answers that the prompter does not
 * have, or until the signal is aborted.
 */
export async function follow(session: Session, id: string, options: FollowOptions): Promise<void> {
  const run = session.millrace.runs.get(id);
  const followed = { session, run, options };
  const progress = createProgress(graphLevelsOf(await run.graph().catch(rethrowUnknownRun(id))));
  const { environment } = await session.cli.config();
  const hintOf = createWorkerHint({
    worker: ownWorkerName,
    environment,
    executes: options.executes ?? (() => session.storage === 'memory'),
  });
  const { signal, stop } = linked(options.signal);
  const { liveArea } = session.cli.terminal;
  const view = liveArea === undefined ? undefined : createLiveView(liveArea);
  const serving = isLocal(session) ? warnUnserved(session, id, signal) : undefined;
  for await (const item of itemsOf(run, view, signal)) {
    if (item.type === 'live') {
      if (options.prompter?.busy !== true) view?.add(item.event);
      continue;
    }
    const { event: entry } = item;
    options.onEntry?.(entry);
    for (const line of progress(entry)) {
      view?.endLine();
      printLine(session, options, line);
    }
    const hint = hintOf(entry);
    if (hint !== undefined) printLine(session, options, { tone: 'wait', text: hint });
    if (await isLeftWaiting(followed, entry)) stop();
  }
  stop();
  await serving;
  await options.prompter?.close();
}

/** Creates a signal that is aborted with another one, or by `stop`, which removes the listener from the other one. */
function linked(signal: AbortSignal): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const stop = () => {
    signal.removeEventListener('abort', stop);
    controller.abort();
  };
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  return { signal: controller.signal, stop };
}

/** Yields the stream of a run; ends without an error when the signal is aborted. */
async function* itemsOf(run: RunHandle, view: LiveView | undefined, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  try {
    if (view !== undefined) yield* run.follow({ signal });
    else for await (const event of run.events({ signal })) yield { type: 'event', event };
  } catch (error) {
    if (!signal.aborted) rethrowUnknownRun(run.id)(error);
  }
}

/** Passes questions to the prompter; returns true if the run cannot continue without an answer from elsewhere. */
async function isLeftWaiting(followed: FollowedRun, { event }: RunEvent): Promise<boolean> {
  const { session, run, options } = followed;
  const { prompter } = options;
  if (event.type === 'activation.suspended') await askQuestions(followed, event.activation);
  if (event.type === 'activation.answered' || event.type === 'activation.renewed') {
    prompter?.withdraw(questionId(run.id, questionOf(event)));
  }
  if (event.type === 'tool.decided') prompter?.withdraw(questionId(run.id, event));
  if (prompter === undefined || prompter.unanswered === 0) return false;
  if (event.type !== 'activation.suspended' && event.type !== 'activation.completed') return false;
  return !prompter.busy && (await describe(session, run.id)).status === 'waiting';
}

/** Asks the questions of an activation: one, or one for each call of a tool. Those that have been answered are history. */
async function askQuestions({ session, run, options: { prompter } }: FollowedRun, activation: string): Promise<void> {
  const { tasks } = await describe(session, run.id);
  for (const task of tasks.filter(({ id }) => parseQuestionId(id).activation === activation)) {
    if (prompter === undefined)
      session.cli.terminal.say(`Answer it in another terminal:\n${openQuestionText(task)}`, 'dim');
    else await prompter.ask(task);
  }
}

/** Returns the call that an open question is about, and the command that answers it. */
export const openQuestionText = (task: Pick<Task, 'id' | 'approval' | 'schema'>): string =>
  [...(task.approval === undefined ? [] : [callText(task.approval)]), `  ${answerCommand(task)}`].join('\n');

const styles = { good: 'green', bad: 'red', warn: 'red', wait: 'yellow', quiet: 'dim' } as const satisfies Record<
  Line['tone'],
  Style
>;

function printLine({ cli: { terminal } }: Session, { prompter }: FollowOptions, { tone, text }: Line): void {
  if (prompter === undefined) terminal.say(text, styles[tone]);
  else prompter.say(text, styles[tone]);
}

/** Interval of the checks, in milliseconds. */
const everyMs = 2000;

/** Warns once about each queue that has work and no worker, until the signal is aborted. */
async function warnUnserved(
  { machine: { runtime }, cli }: LocalSession,
  run: string,
  signal: AbortSignal,
): Promise<void> {
  // Loaded here: commands over HTTP do not need the runtime, which takes half a second to load.
  const { unservedQueues } = await import('@millrace/runtime');
  const reported = new Set<string>();
  try {
    if ((await runtime.runs.refresh(run))?.plan.routed !== true) return;
    for await (const _tick of setInterval(everyMs, undefined, { signal })) {
      for (const { queue, node } of await unservedQueues(runtime, run)) {
        if (reported.has(queue)) continue;
        reported.add(queue);
        cli.terminal.say(
          `! ${node} waits in the queue ${queue}, which no worker serves. millrace worker --queues ${queue} starts one.`,
          'yellow',
        );
      }
    }
  } catch (error) {
    if (!signal.aborted) cli.terminal.say(`! the workers of the queues cannot be read: ${String(error)}`);
  }
}
