import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { setInterval } from 'node:timers/promises';
import { embedForegroundWorker } from '../client/embed-worker.ts';
import type { LocalSession } from '../client/session.ts';
import { withMachine } from '../client/session.ts';
import { exitCodes } from '../exit/exit.ts';
import type { Cli } from '../process/cli.ts';
import { reportFailure } from '../process/failure.ts';
import type { Interruption } from '../process/interruption.ts';
import { interruption } from '../process/interruption.ts';
import { answersOf } from './answers.ts';
import { follow } from './follow.ts';
import { createPrompter, printResult } from './follow-to-end.ts';
import type { RunOptions } from './run-workflow.ts';
import { beginRun, inputOf, readRunnable } from './run-workflow.ts';

/** Options of developing a workflow. */
export interface DevelopOptions
  extends Pick<RunOptions, 'input' | 'variables' | 'answers' | 'script' | 'prices' | 'compat' | 'allowEnv' | 'json'> {
  /** Called once with the session of all attempts. */
  onOpen?(session: LocalSession): Promise<void>;
}

/** Runs a workflow in memory, and again whenever one of its files is saved, until Ctrl-C. */
export async function develop(cli: Cli, file: string, options: DevelopOptions): Promise<void> {
  const ctrlC = await interruption(cli, exitCodes.completed);
  await withMachine(cli, { command: 'dev', local: true, stopping: ctrlC.signal }, async (session) => {
    await options.onOpen?.(session);
    await embedForegroundWorker(session);
    await attempt(session, file, { ...options, ctrlC });
  });
  ctrlC.dispose();
  cli.exit = exitCodes.completed;
}

/** Runs a workflow, and again whenever one of its files is saved, until Ctrl-C. */
async function attempt(
  session: LocalSession,
  file: string,
  options: DevelopOptions & Pick<Attempt, 'ctrlC'>,
): Promise<void> {
  const { cli } = session;
  const { ctrlC } = options;
  let task: string | undefined;
  const keep = (text: string) => {
    task = text;
  };
  while (!ctrlC.signal.aborted) {
    const files = watchFiles();
    const attempted = startAttempt(ctrlC, (signal) =>
      runOnce(session, file, { ...options, files, signal, task, keep }),
    );
    const settled = attempted.ended.catch(async (error: unknown) => {
      if (!attempted.signal.aborted) await reportFailure(cli.terminal, error, options.json);
    });
    const waiting = settled.then(() => {
      if (!attempted.signal.aborted) cli.terminal.say(`Waiting for changes of ${file}. Ctrl-C ends.`, 'dim');
    });
    const changed = await files.next(ctrlC.signal);
    attempted.abort();
    await waiting;
    if (changed !== undefined) cli.terminal.say(`\n${changed} has changed: running again.`, 'bold');
  }
}

/** Attempt that Ctrl-C or a change of a file aborts. */
function startAttempt({ signal: outer }: Interruption, work: (signal: AbortSignal) => Promise<void>) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  outer.addEventListener('abort', abort);
  const ended = work(controller.signal).finally(() => outer.removeEventListener('abort', abort));
  return { ended, signal: controller.signal, abort };
}

interface Attempt extends DevelopOptions {
  readonly files: FileChanges;
  readonly ctrlC: Interruption;
  readonly signal: AbortSignal;
  /** Task of earlier attempts. */
  readonly task: string | undefined;
  /** Keeps the task for later attempts. */
  keep(input: string): void;
}

async function runOnce(session: LocalSession, file: string, options: Attempt): Promise<void> {
  const { cli } = session;
  const { files, signal, answers: answersFile, script, prices } = options;
  const taskFile = options.input?.startsWith('@') ? options.input.slice(1) : undefined;
  for (const path of [file, answersFile, script, prices, taskFile]) if (path !== undefined) files.add(path);
  const answers = answersFile === undefined ? undefined : answersOf(answersFile);
  const runnable = await readRunnable(cli, file, { ...options, remote: false, onRead: files.add });
  const input = options.task ?? (await inputOf(cli, runnable.workflow, options));
  if (input === undefined) return options.ctrlC.interrupt();
  // Standard input and a person provide the task once; a file is read again.
  if (taskFile === undefined) options.keep(input);
  if (signal.aborted) return;
  const run = await beginRun(session, runnable, { ...options, input });
  const prompter = createPrompter(session, { answers, onCancel: options.ctrlC.interrupt });
  await follow(session, run, { signal, prompter });
  if (signal.aborted) await session.millrace.runs.get(run).cancel('run again');
  else await printResult(session, run, { json: options.json === true, interrupted: false });
}

/** Files whose changes are noticed. */
interface FileChanges {
  /** Adds a file, which may be missing. Call it before reading the file, so that no change in between is overlooked. */
  add(path: string): void;
  /** Waits until a file has changed and none changes any more. Returns its path; undefined if the signal was aborted. */
  next(signal: AbortSignal): Promise<string | undefined>;
}

/** Interval of the checks of the files, in milliseconds. */
const everyMs = 100;

/**
 * Reads the states of files in intervals: editors replace files as well as write them, and network drives and containers report
 * no changes. A workflow has few files, so this costs next to nothing.
 */
function watchFiles(): FileChanges {
  const states = new Map<string, string>();
  /** Stores all states; returns a file whose state differs from the stored one. */
  const look = (): string | undefined => {
    let changed: string | undefined;
    for (const [path, before] of states) {
      const state = stateOf(path);
      if (state === before) continue;
      changed = path;
      states.set(path, state);
    }
    return changed;
  };
  return {
    add(path) {
      if (!states.has(path)) states.set(path, stateOf(path));
    },
    async next(signal) {
      let changed: string | undefined;
      try {
        for await (const _tick of setInterval(everyMs, undefined, { signal })) {
          const seen = look();
          if (seen === undefined && changed !== undefined) return relative('', changed) || changed;
          changed = seen ?? changed;
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      return undefined;
    },
  };
}

function stateOf(path: string): string {
  try {
    const { mtimeNs, size, ino } = statSync(path, { bigint: true });
    return [mtimeNs, size, ino].join(' ');
  } catch {
    // Missing, or not to be seen: reading it says why.
    return 'unreadable';
  }
}
