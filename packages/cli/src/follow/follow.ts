import { linkedController } from '@millrace/catalog';
import type { ActivationId, JournalEntry, RunId } from '@millrace/core';
import type { RunDescription, Task } from '@millrace/runtime';
import type { Session } from '../client/session.ts';
import { isLocal } from '../client/session.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { refusalIn } from '../exit/refusal.ts';
import type { LiveView } from '../output/live-view.ts';
import { createLiveView } from '../output/live-view.ts';
import type { Style } from '../output/terminal.ts';
import type { Line } from './progress.ts';
import { createProgress, previewOf } from './progress.ts';
import type { QuestionPrompter } from './question-prompter.ts';
import { warnUnserved } from './warn-unserved.ts';

/** How following a run is done. */
export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Answers questions; without it, nobody here does and the run is followed all the same. */
  readonly reception?: QuestionPrompter;
  /** Called with every entry, for machine output. */
  onEntry?(entry: JournalEntry): void;
}

/**
 * Tells a run's progress from its beginning until it ends, until it waits for answers that the reception does not
 * have, or until the signal is aborted.
 */
export async function follow(session: Session, run: RunId, options: FollowOptions): Promise<void> {
  const { installation } = session;
  const description = await describe(session, run);
  const summary = await installation.outline(description);
  const progress = createProgress(summary);
  const stop = linkedController(options.signal);
  const { signal } = stop;
  const { paper } = session.cli.terminal;
  const view = paper === undefined ? undefined : createLiveView(paper);
  const listening =
    view === undefined
      ? undefined
      : hearLive(session, view, { run, signal, busy: () => options.reception?.busy === true });
  const serving = isLocal(session) && summary.routed ? warnUnserved(session, run, signal) : undefined;
  for await (const entry of known(installation.watch(run, signal), run)) {
    options.onEntry?.(entry);
    for (const line of progress(entry, await previewText(session, run, entry))) {
      view?.pause();
      say(session, options, line);
    }
    if (await isLeftWaiting(session, entry, { run, reception: options.reception })) stop.abort();
  }
  stop.abort();
  await listening;
  await serving;
  await options.reception?.close();
}

interface Hearing {
  readonly run: RunId;
  readonly signal: AbortSignal;
  /** A person is being asked, and must not be written over. */
  busy(): boolean;
}

async function hearLive({ installation }: Session, view: LiveView, { run, signal, busy }: Hearing): Promise<void> {
  for await (const utterance of installation.listen(run, signal)) {
    if (!busy()) view.hear(utterance);
  }
}

/** Its entries; ends the command when the run goes. */
async function* known(entries: AsyncIterable<JournalEntry>, run: RunId): AsyncIterable<JournalEntry> {
  try {
    yield* entries;
  } catch (error) {
    if (refusalIn(error)?.code === 'RUN_UNKNOWN') throw unknownRun(run);
    throw error;
  }
}

const unknownRun = (run: RunId): CommandError =>
  new CommandError(exitCodes.notFound, `There is no run ${run}. \`millrace runs\` lists them.`);

/** How a run stands; ends the command when there is no such run. */
export async function describe({ installation }: Session, run: RunId): Promise<RunDescription> {
  const description = await installation.describe(run);
  if (description === undefined) throw unknownRun(run);
  return description;
}

/** Says how an open question can be answered from another terminal. */
export const howToAnswer = (task: Task): string => `  millrace answer ${task.id} "…"`;

async function previewText({ installation }: Session, run: RunId, entry: JournalEntry): Promise<string | undefined> {
  const ref = previewOf(entry);
  return ref === undefined ? undefined : installation.textOf(run, ref);
}

/** Passes questions on; true when the run can only go on by an answer that does not come from here. */
async function isLeftWaiting(
  session: Session,
  { event }: JournalEntry,
  { run, reception: prompter }: { run: RunId; reception: QuestionPrompter | undefined },
): Promise<boolean> {
  if (event.type === 'activation.suspended') await present(session, event.activation, { run, reception: prompter });
  if (event.type === 'activation.answered' || event.type === 'activation.renewed') prompter?.withdraw(event.activation);
  if (prompter === undefined || prompter.unanswered === 0) return false;
  if (event.type !== 'activation.suspended' && event.type !== 'activation.completed') return false;
  return !prompter.busy && (await session.installation.describe(run))?.status === 'waiting';
}

async function present(
  session: Session,
  activation: ActivationId,
  { run, reception: prompter }: { run: RunId; reception: QuestionPrompter | undefined },
): Promise<void> {
  const description = await session.installation.describe(run);
  const task = description?.tasks.find((open) => open.activation === activation);
  // Already answered: history is being told.
  if (task === undefined) return;
  if (prompter === undefined) session.cli.terminal.say(howToAnswer(task), 'dim');
  else await prompter.ask(task);
}

const styles = { good: 'green', bad: 'red', warn: 'red', wait: 'yellow', quiet: 'dim' } as const satisfies Record<
  Line['tone'],
  Style
>;

function say({ cli: { terminal } }: Session, { reception: prompter }: FollowOptions, { tone, text }: Line): void {
  if (prompter === undefined) terminal.say(text, styles[tone]);
  else prompter.say(text, styles[tone]);
}
