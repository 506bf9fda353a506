import type { Budget, Prices, Workflow } from '@millrace/core';
import { messageWith } from '@millrace/core';
import { parseAnswers } from './answers.ts';
import { attachFiles } from './attachments.ts';
import type { Cli } from './cli.ts';
import { CommandError, exitCodes } from './exit.ts';
import { followToEnd } from './follow-to-end.ts';
import { issueText } from './issue-report.ts';
import { loadPrices } from './load-models.ts';
import { loadScript, loadWorkflow, readCompanion } from './load-workflow.ts';
import { withVocabulary } from './open-vocabulary.ts';
import { promptText } from './prompts.ts';
import { withSession } from './session.ts';
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
  /** How far others go before it. */
  readonly priority?: number;
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
    const { budget, timeout, priority } = options;
    const run = await session.runtime.runs.start({
      workflow,
      input: task,
      ...(timeout === undefined ? {} : { timeoutMs: timeout }),
      ...(budget === undefined ? {} : { budget }),
      ...(priority === undefined ? {} : { priority }),
    });
    cli.terminal.say(cli.terminal.paint.bold(`▶ ${run} ${workflow.graph.id}`));
    const { detach = false, json = false } = options;
    await followToEnd(session, run, { detach, json, ...(answers === undefined ? {} : { answers }) });
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
