import type { Millrace } from '@millrace/client';
import type { Prices, Workflow } from '@millrace/core';
import { omitUndefined } from '@millrace/core/omit-undefined';
import { visibleName } from '@millrace/core/visible-text';
import type { Session } from '../client/session.ts';
import { withSession } from '../client/session.ts';
import { CommandError, exitCodes, refusalIn } from '../exit/exit.ts';
import { issueText } from '../output/issue-report.ts';
import type { Cli } from '../process/cli.ts';
import type { RunBudget } from '../requests/start-run.ts';
import { startRun } from '../requests/start-run.ts';
import type { WorkflowSource } from '../requests/workflow-source.ts';
import { hasNonePublished, isPublished, sourceOfFile, unknownWorkflow } from '../requests/workflow-source.ts';
import { loadPrices } from '../workflow/load-tables.ts';
import type { LoadedWorkflow } from '../workflow/load-workflow.ts';
import { loadScript, readText } from '../workflow/load-workflow.ts';
import { withVocabulary } from '../workflow/open-vocabulary.ts';
import { readTextArgument } from '../workflow/text-argument.ts';
import type { Answers } from './answers.ts';
import { answersOf } from './answers.ts';
import { followToEnd } from './follow-to-end.ts';

/** Options of a run that is started. */
export interface RunOptions {
  readonly input?: string;
  /** Files that are attached to the task. */
  readonly attach?: readonly string[];
  readonly tag?: readonly string[];
  readonly variables: Readonly<Record<string, unknown>>;
  /** File of replies for human nodes. */
  readonly answers?: string;
  /** File of a scripted model. */
  readonly script?: string;
  /** File with prices of models. */
  readonly prices?: string;
  /** Budget of the run; absent parts: those of the workflow. */
  readonly budget?: RunBudget;
  readonly compat?: 'chatdev';
  /** Variables of the environment that texts may use in any case. */
  readonly allowEnv?: readonly string[];
  /** Time that the run may take, in milliseconds. */
  readonly timeout?: number;
  /** Time after which the run is removed, in milliseconds; absent: it is not temporary. */
  readonly ttl?: number;
  /** Priority; others go before a run with a larger one. */
  readonly priority?: number;
  /** False: what models are asked is not stored. */
  readonly recordRequests?: boolean;
  readonly detach?: boolean;
  readonly local?: boolean;
  readonly json?: boolean;
  /** A run with warnings counts as failed. */
  readonly strict?: boolean;
}

/** Starts a run of a workflow file or a published workflow, and follows it to its end unless `--detach` is set. */
export async function runWorkflow(cli: Cli, named: string, options: RunOptions): Promise<void> {
  const remote = (await cli.config()).api !== undefined && options.local !== true;
  if (remote) refuseRemote(options);
  const answers = options.answers === undefined ? undefined : answersOf(options.answers);
  const start = async (session: Session, runnable: Runnable) => {
    const input = await inputOf(cli, runnable.workflow, options);
    if (input === undefined) cli.exit = exitCodes.interrupted;
    else await startAndFollow(session, runnable, { ...options, input, replies: answers });
  };
  const opening = { local: options.local === true, throughOutages: true };
  if (isPublished(named)) {
    if (await hasNonePublished(cli, options)) throw await unknownWorkflow(named);
    await withSession(cli, opening, async (session) => start(session, await published(session, named, options)));
    return;
  }
  // A file with errors is refused before anything is opened: that needs no Redis.
  const runnable = await readRunnable(cli, named, { ...options, remote });
  await withSession(cli, opening, (session) => start(session, runnable));
}

function refuseRemote({ script, prices }: RunOptions): void {
  const option = script === undefined ? (prices === undefined ? undefined : '--prices') : '--script';
  if (option === undefined) return;
  throw new CommandError(
    exitCodes.invalid,
    `${option} is for runs that are started on the machine itself; MILLRACE_URL names an HTTP API. Unset it, or add --local.`,
  );
}

/** Workflow that can be started, with its properties as far as this process knows them. */
export interface Runnable {
  readonly named: string;
  /** Absent if only the API can read it. */
  readonly workflow: Workflow | undefined;
  readonly source: WorkflowSource;
}

/** Returns the workflow of a file. Throws CommandError with all problems if it is invalid. */
export async function readRunnable(
  cli: Cli,
  file: string,
  options: RunOptions & {
    /** Another process decides whether the workflow can run. */
    readonly remote: boolean;
    /** Called with each file before it is read. */
    onRead?(file: string): void;
  },
): Promise<Runnable> {
  const { onRead } = options;
  const { loaded, source } = await sourceOfFile(cli, file, {
    ...(await loadOptionsOf(options)),
    ...omitUndefined({ onRead }),
  });
  // Only the API can read a workflow with its own functions, so it reports the problems.
  const workflow = options.remote ? loaded.workflow : await checked(cli, file, { ...options, loaded });
  return { named: file, workflow, source: source() };
}

/** Returns a published workflow, which can use neither files nor the environment. */
async function published({ cli, millrace, storage }: Session, named: string, options: RunOptions): Promise<Runnable> {
  const { yaml } = await publishedText(millrace, named).catch(async (error: unknown) => {
    throw refusalIn(error)?.code === 'WORKFLOW_UNKNOWN' ? await unknownWorkflow(named) : error;
  });
  const given = await loadOptionsOf(options);
  const loaded = await withVocabulary(cli, (vocabulary) =>
    readText({ file: named, text: yaml }, { vocabulary, ...given, environment: {} }),
  );
  const { variables, compat } = options;
  const workflow = storage === 'api' ? loaded.workflow : await checked(cli, named, { ...options, loaded });
  const { secretVariables = [] } = loaded;
  const values = omitUndefined({ variables, compat, secretVariables });
  return { named, workflow, source: { type: 'published', reference: named, ...values } };
}

/** Returns the text of a published workflow that may be started. */
async function publishedText({ workflows }: Millrace, reference: string): Promise<{ readonly yaml: string }> {
  const [name = '', hash] = reference.split('@', 2);
  return hash === undefined ? workflows.get(name) : workflows.version(name, hash);
}

async function loadOptionsOf({ script, variables, compat, allowEnv, budget, prices }: RunOptions) {
  const { budgetFromDollars } = await import('@millrace/core');
  return omitUndefined({
    // A scripted model needs no address and no name, so their variables may be missing.
    mode: script === undefined ? ('run' as const) : ('check' as const),
    variables,
    compat,
    allowedEnvironment: allowEnv,
    spending: omitUndefined({
      budget: budget === undefined ? undefined : budgetFromDollars(budget),
      prices: prices === undefined ? undefined : await loadPrices(prices),
    }),
  });
}

const aboutModels: ReadonlySet<string> = new Set([
  'W_PACKAGE_MISSING',
  'W_MODEL_RETIRED',
  'W_MODEL_RETIRING',
  'W_PARAM_REFUSED',
  'W_PRICE_ASSUMED',
  'W_PRICE_UNKNOWN',
  'W_PROVIDER_UNKNOWN',
]);

async function checked(
  cli: Cli,
  named: string,
  { loaded: { workflow, issues }, script, prices }: RunOptions & { readonly loaded: LoadedWorkflow },
): Promise<Workflow> {
  // A scripted model needs no SDK, and no knowledge of models.
  const relevant = issues.filter(({ code }) => script === undefined || !aboutModels.has(code));
  for (const issue of relevant) cli.terminal.say(issueText(issue));
  if (workflow === undefined) {
    throw new CommandError(exitCodes.invalid, `${named} cannot be run; nothing was started.`, { issues });
  }
  const priced = prices === undefined ? workflow : withPrices(workflow, await loadPrices(prices));
  return script === undefined ? priced : { ...priced, script: await loadScript(script) };
}

const withPrices = (workflow: Workflow, prices: Prices): Workflow => ({
  ...workflow,
  graph: { ...workflow.graph, prices: { ...workflow.graph.prices, ...prices } },
});

type StartedOptions = Omit<RunOptions, 'input'> & { readonly input: string; readonly replies: Answers | undefined };

async function startAndFollow(session: Session, runnable: Runnable, options: StartedOptions): Promise<void> {
  const { replies, detach = false, json = false, strict } = options;
  const run = await beginRun(session, runnable, options);
  await followToEnd(session, run, omitUndefined({ detach, json, strict, answers: replies }));
}

/** Starts a run, prints its id and returns it. */
export async function beginRun(
  session: Session,
  { named, workflow, source }: Runnable,
  { input, tag: tags, attach = [], ...options }: RunOptions & { readonly input: string },
): Promise<string> {
  const { budget, timeout, ttl, priority } = options;
  // Only a refusal is an answer: what was not said is left to the workflow.
  const recordRequests = options.recordRequests === false ? false : undefined;
  const settings = omitUndefined({ tags, timeout, ttl, budget, priority, recordRequests });
  const run = await startRun(session, { workflow, source, input, attach, ...settings });
  session.cli.terminal.say(`▶ ${run} ${visibleName(workflow?.graph.id ?? named)}`, 'bold');
  return run;
}

/** Returns the task; undefined if the person pressed Ctrl-C when asked for it. */
export async function inputOf(
  { terminal }: Cli,
  workflow: Workflow | undefined,
  { input }: Pick<RunOptions, 'input'>,
): Promise<string | undefined> {
  const instruction = workflow?.graph.initialInstruction?.trim();
  if (input !== undefined) return readTextArgument(input);
  if (terminal.interactive) return terminal.ask(instruction || 'The task of this run:');
  if (instruction !== undefined) terminal.say(instruction);
  terminal.say('No --input is given: the task is empty.');
  return '';
}
