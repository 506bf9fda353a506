import { setInterval, setTimeout as sleep } from 'node:timers/promises';
import { omitUndefined } from '@millrace/core/omit-undefined';
import { embedForegroundWorker } from '../client/embed-worker.ts';
import type { LocalSession, Session } from '../client/session.ts';
import { isLocal, reportMissingWorkers } from '../client/session.ts';
import { exitCodes, refusalIn } from '../exit/exit.ts';
import { exitOf, resultJson, unfinishedIn, warningsIn } from '../output/run-result.ts';
import { wrappedOn } from '../output/terminal/wrapped.ts';
import type { Cli } from '../process/cli.ts';
import { aborted, interruption } from '../process/interruption.ts';
import { describe } from '../requests/resolve-run.ts';
import type { Answers } from './answers.ts';
import { follow, openQuestionText } from './follow.ts';
import type { QuestionPrompter } from './question-prompter.ts';
import { createQuestionPrompter, promptTask } from './question-prompter.ts';

/** Options of following a run that was started. */
export interface EndOptions {
  readonly answers?: Answers;
  readonly detach?: boolean;
  readonly json?: boolean;
  /** A run with warnings counts as failed. */
  readonly strict?: boolean;
}

/** Follows a run to its end, executes it if no other worker does, and prints its result; or prints only its id. */
export async function followToEnd(session: Session, run: string, options: EndOptions): Promise<void> {
  const { cli } = session;
  const { answers } = options;
  if (options.detach) return detach(session, run, options);
  const { signal, interrupt, dispose } = await interruption(cli, exitCodes.interrupted);
  if (isLocal(session)) signal.addEventListener('abort', () => session.machine.runtime.shared?.activeJobs.stop());
  const prompter = createPrompter(session, { answers, onCancel: interrupt });
  const executes = await workWhenAlone(session);
  await Promise.race([follow(session, run, { signal, prompter, executes }), exitTimeout(signal)]);
  if (signal.aborted) await printResultSoon(session, run, options);
  else await printResult(session, run, { ...options, interrupted: false });
  dispose();
}

/** Creates the prompter of a session: prepared answers, or the person at the terminal. */
export function createPrompter(
  { cli: { terminal }, millrace }: Session,
  { answers, onCancel }: { readonly answers: Answers | undefined; onCancel(): void },
): QuestionPrompter {
  return createQuestionPrompter({
    answer: (task, given) => millrace.tasks.answer(task, given),
    terminal,
    onCancel,
    ...omitUndefined({ answers }),
    ...(terminal.interactive ? { prompt: promptTask(terminal) } : {}),
  });
}

/** Time limit of following after Ctrl-C, in milliseconds: a response of Redis may never arrive. */
const exitTimeoutMs = 2000;

async function exitTimeout(signal: AbortSignal): Promise<void> {
  await aborted(signal);
  await sleep(exitTimeoutMs);
}

/** Prints the status of an interrupted run, unless Redis is unreachable. */
async function printResultSoon(session: Session, run: string, options: EndOptions): Promise<void> {
  const work = () => printResult(session, run, { ...options, interrupted: true });
  session.cli.exit = exitCodes.interrupted;
  try {
    await (session.machine?.runtime.shared?.outages.bounded('reads', work) ?? work());
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal === undefined) throw error;
    session.cli.terminal.say(`${refusal.message} [${refusal.code}]`);
  }
}

/**
 * Starts a worker here as soon as no other one exists: the worker of another command may stop before this run has ended. Returns a
 * function that tells whether it has.
 */
async function workWhenAlone(session: Session): Promise<() => boolean> {
  let hasWorker = false;
  if (!isLocal(session)) await reportRemoteWorkers(session);
  else if (session.storage === 'memory') {
    await embedForegroundWorker(session);
    hasWorker = true;
  } else if (await workIfAlone(session)) hasWorker = true;
  else {
    session.cli.terminal.say(await describeWorkers(session), 'dim');
    const over = new AbortController();
    const watching = takeOver(session, over.signal).then((hasTaken) => {
      hasWorker = hasTaken;
    });
    session.defer(() => {
      over.abort();
      return watching;
    });
  }
  return () => hasWorker;
}

/** Reports that the workers of the API execute the run, or that there is none. */
async function reportRemoteWorkers(session: Session): Promise<void> {
  const { cli, millrace } = session;
  const { workers } = await millrace.readiness();
  if (workers === 0) return reportMissingWorkers(session);
  const { api } = await cli.config();
  cli.terminal.say(`The workers of ${api?.url} execute it, with the keys of their own environment.`, 'dim');
}

/** Returns a sentence about the workers that execute the run. */
async function describeWorkers({ millrace }: LocalSession): Promise<string> {
  const names = [...new Set((await millrace.operations.workers()).map(({ name }) => name))];
  const [first] = names;
  if (first === undefined) return 'Another worker executes it, with the keys of its own environment.';
  if (names.length === 1) return `Worker ${first} executes it, with the keys of its own environment.`;
  return `${names.length} workers execute it, with the keys of their own environments: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`;
}

async function takeOver(session: LocalSession, over: AbortSignal): Promise<boolean> {
  try {
    for await (const _tick of setInterval(checkEveryMs, undefined, { signal: over })) {
      if (await workIfAlone(session)) return true;
    }
  } catch (error) {
    if (!over.aborted) session.cli.terminal.say(`! the list of workers cannot be read: ${String(error)}`);
  }
  return false;
}

/** Interval of checks for other workers, in milliseconds. */
const checkEveryMs = 1000;

async function workIfAlone(session: LocalSession): Promise<boolean> {
  if ((await session.millrace.readiness()).workers > 0) return false;
  session.cli.terminal.say('No other worker is running: this process works on the run itself.');
  await embedForegroundWorker(session);
  return true;
}

async function detach(session: Session, run: string, { json }: EndOptions): Promise<void> {
  const { terminal } = session.cli;
  if (json) terminal.data(JSON.stringify(resultJson(await describe(session, run)), null, 2));
  else terminal.data(run);
  terminal.say(`Follow it with: millrace watch ${run}`);
  await reportMissingWorkers(session);
  reportOwnRedis(session);
}

function reportOwnRedis(session: Session): void {
  if (!session.endsWithProcess()) return;
  session.cli.terminal.say(
    'This Redis stops when its last user ends; its data stays on disk. `millrace up` keeps it running and works on runs.',
  );
}

/** Prints the result of a run, and sets the exit code. */
export async function printResult(
  session: Session,
  run: string,
  options: EndOptions & { readonly interrupted: boolean },
): Promise<void> {
  const { cli, storage } = session;
  const description = await describe(session, run);
  const ended = description.finishedAt !== undefined;
  if (options.json) cli.terminal.data(JSON.stringify(resultJson(description), null, 2));
  else if (ended) printOutput(cli, description.output);
  if (ended) for (const line of [...unfinishedIn(description), ...warningsIn(description)]) cli.terminal.say(line);
  cli.exit = options.interrupted && !ended ? exitCodes.interrupted : exitOf(description, options.strict);
  if (ended) return;
  if (storage === 'memory') {
    cli.terminal.say(
      'The run ends with this process; it was kept in memory only. --answers FILE answers its questions.',
    );
    return;
  }
  for (const task of description.tasks)
    cli.terminal.say(`${task.node} waits for an answer:\n${openQuestionText(task)}`);
  cli.terminal.say('The run continues with any worker; `millrace up` or `millrace worker` starts one.');
  cli.terminal.say(`Follow it with: millrace watch ${run}`);
  reportOwnRedis(session);
}

function printOutput({ terminal }: Cli, output: string | null): void {
  if (output === null) terminal.say('The run has no output.');
  else terminal.content(`${wrappedOn(terminal, output)}\n`);
}
