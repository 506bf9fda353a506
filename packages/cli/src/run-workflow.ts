import { setInterval } from 'node:timers/promises';
import type { Budget, Prices, RunId, Workflow } from '@millrace/core';
import { messageWith } from '@millrace/core';
import { parseAnswers } from './answers.ts';
import { attachFiles } from './attachments.ts';
import type { Cli } from './cli.ts';
import { CommandError, exitCodes } from './exit.ts';
import { describe, follow, howToAnswer } from './follow.ts';
import { interruption } from './interruption.ts';
import { issueText } from './issue-report.ts';
import { loadPrices } from './load-models.ts';
import { loadScript, loadWorkflow, readCompanion } from './load-workflow.ts';
import { withVocabulary } from './open-vocabulary.ts';
import { promptTask, promptText } from './prompts.ts';
import { createReception } from './reception.ts';
import { exitOf, outputText, resultJson } from './run-result.ts';
import type { Session } from './session.ts';
import { embedWorker, sayWhenIdle, withSession } from './session.ts';
import { readTextArgument } from './text-argument.ts';

/** What a run is started with. */
export interface RunOptions {
  readonly input?: string;
  /** Files that go with the task. */
  readonly attach?: readonly string[];
  readonly variables: Readonly<Record<string, unknown>>;
  /** File of replies for human nodes. */
  readonly answers?: string;
  /** File of a scripted model. */
  readonly script?: string;
  /** File with prices of models. */
  readonly prices?: string;
  /** What it may spend; what is absent is as the workflow says. */
  readonly budget?: Budget;
  readonly compat?: 'chatdev';
  /** How long the run may take, in milliseconds. */
  readonly timeout?: number;
  readonly detach?: boolean;
  readonly local?: boolean;
  readonly json?: boolean;
}

/** Starts a workflow and, unless told otherwise, follows it to its end. */
export async function runWorkflow(cli: Cli, file: string, options: RunOptions): Promise<void> {
  const workflow = await readRunnable(cli, file, options);
  const answers =
    options.answers === undefined ? undefined : parseAnswers(readCompanion(options.answers), options.answers);
  const input = await inputOf(cli, workflow, options);
  if (input === undefined) {
    cli.exit = exitCodes.interrupted;
    return;
  }
  await withSession(cli, options, async (session) => {
    const attached = await attachFiles(session.runtime, options.attach ?? []);
    const task = attached.length === 0 ? input : [messageWith(input, attached, 'TASK')];
    const { budget, timeout } = options;
    const run = await session.runtime.runs.start({
      workflow,
      input: task,
      ...(timeout === undefined ? {} : { timeoutMs: timeout }),
      ...(budget === undefined ? {} : { budget }),
    });
    cli.terminal.say(cli.terminal.paint.bold(`▶ ${run} ${workflow.graph.id}`));
    if (options.detach) return leave(session, run, options);
    const { signal, interrupt, dispose } = interruption();
    const reception = createReception({
      runs: session.runtime.runs,
      terminal: cli.terminal,
      onCancel: interrupt,
      ...(answers === undefined ? {} : { answers }),
      ...(cli.terminal.interactive ? { prompt: promptTask } : {}),
    });
    await workWhenAlone(session);
    await follow(session, run, { signal, reception });
    await conclude(session, run, { ...options, interrupted: signal.aborted });
    dispose();
  });
}

/** The workflow of a file, or the end of the command with all its problems on stderr. */
async function readRunnable(cli: Cli, file: string, options: RunOptions): Promise<Workflow> {
  const { environment } = await cli.config();
  const { workflow, issues } = await withVocabulary(cli, (vocabulary) =>
    loadWorkflow(file, {
      vocabulary,
      // What a script answers needs no address and no model, so a variable for them may be missing.
      mode: options.script === undefined ? 'run' : 'check',
      environment,
      variables: options.variables,
      ...(options.compat === undefined ? {} : { compat: options.compat }),
    }),
  );
  for (const issue of issues) cli.terminal.say(issueText(issue));
  if (workflow === undefined) {
    throw new CommandError(exitCodes.invalid, `${file} cannot be run; nothing was started.`, { issues });
  }
  const priced = options.prices === undefined ? workflow : withPrices(workflow, await loadPrices(options.prices));
  return options.script === undefined ? priced : { ...priced, script: await loadScript(options.script) };
}

const withPrices = (workflow: Workflow, prices: Prices): Workflow => ({
  ...workflow,
  graph: { ...workflow.graph, prices: { ...workflow.graph.prices, ...prices } },
});

/** The task; undefined when the person who was asked for it pressed Ctrl-C. */
async function inputOf({ terminal }: Cli, { graph }: Workflow, { input }: RunOptions): Promise<string | undefined> {
  if (input !== undefined) return readTextArgument(input);
  if (terminal.interactive) return promptText(graph.initialInstruction?.trim() || 'The task of this run:');
  if (graph.initialInstruction !== undefined) terminal.say(graph.initialInstruction.trim());
  terminal.say('No --input is given: the task is empty.');
  return '';
}

/** Works on runs here as soon as nobody else does: another command's worker may leave before this run has ended. */
async function workWhenAlone(session: Session): Promise<void> {
  if (session.storage === 'memory') return embedWorker(session, { logLevel: 'warn' });
  if (await workIfAlone(session)) return;
  const over = new AbortController();
  const looking = takeOver(session, over.signal);
  session.defer(() => {
    over.abort();
    return looking;
  });
}

async function takeOver(session: Session, over: AbortSignal): Promise<void> {
  try {
    for await (const _tick of setInterval(lookEveryMs, undefined, { signal: over })) {
      if (await workIfAlone(session)) return;
    }
  } catch (error) {
    if (!over.aborted) session.cli.terminal.say(`! it cannot be seen whether workers are left: ${String(error)}`);
  }
}

/** How often it is looked whether other workers are left. */
const lookEveryMs = 1000;

async function workIfAlone(session: Session): Promise<boolean> {
  if ((await session.runtime.queue.consumers()) > 0) return false;
  session.cli.terminal.say('No other worker is running: this process works on the run itself.');
  await embedWorker(session, { logLevel: 'warn' });
  return true;
}

async function leave(session: Session, run: RunId, { json }: RunOptions): Promise<void> {
  const { terminal } = session.cli;
  if (json) terminal.data(JSON.stringify(resultJson(await describe(session, run)), null, 2));
  else terminal.data(run);
  terminal.say(`Follow it with: millrace watch ${run}`);
  await sayWhenIdle(session);
  sayWhatIsKept(session);
}

function sayWhatIsKept(session: Session): void {
  if (!session.endsWithUs()) return;
  session.cli.terminal.say(
    'This Redis stops when its last user ends; its data stays on disk. `millrace up` keeps it running and works on runs.',
  );
}

async function conclude(
  session: Session,
  run: RunId,
  options: RunOptions & { readonly interrupted: boolean },
): Promise<void> {
  const { cli, storage } = session;
  const description = await describe(session, run);
  const ended = description.finishedAt !== undefined;
  if (options.json) cli.terminal.data(JSON.stringify(resultJson(description), null, 2));
  else if (ended) printOutput(cli, outputText(description));
  cli.exit = options.interrupted && !ended ? exitCodes.interrupted : exitOf(description);
  if (ended) return;
  if (storage === 'memory') {
    cli.terminal.say(
      'The run ends with this process; it was kept in memory only. --answers FILE answers its questions.',
    );
    return;
  }
  for (const task of description.tasks) cli.terminal.say(`${task.node} waits for an answer:\n${howToAnswer(task)}`);
  cli.terminal.say('The run goes on with any worker; `millrace up` or `millrace worker` starts one.');
  cli.terminal.say(`Follow it with: millrace watch ${run}`);
  sayWhatIsKept(session);
}

function printOutput({ terminal }: Cli, output: string | undefined): void {
  if (output === undefined) terminal.say('The run has no output.');
  else terminal.data(output);
}
