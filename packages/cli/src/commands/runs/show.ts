import type { Activation, Millrace, Run, RunGraphs, RunHandle } from '@millrace/client';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { withSession } from '../../client/session.ts';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import { parseCallNumber } from '../../options/arguments.ts';
import type { ActivationFailure, NodeState, RunOverview } from '../../output/run-overview.ts';
import type { Cli } from '../../process/cli.ts';
import { withTimes } from '../../requests/open-questions.ts';
import { describe, resolveRun } from '../../requests/resolve-run.ts';

interface ShowFlags {
  readonly call?: number;
  readonly json?: true;
}

/** `millrace show`: describes a run, an activation or a call on one page. */
export function addShow(program: Command, cli: Cli): void {
  program
    .command('show')
    .description(
      'describe a run on one page: its status, the nodes that are executing, cost, last errors and open questions; or one of its activations, with what its models were asked',
    )
    .argument('<run>', 'id of the run, or the beginning of it')
    .argument('[activation]', 'id of an activation, as in a2')
    .option('--call <n>', 'only this call of the activation, as in 0', parseCallNumber)
    .option('--json', 'print {runId, workflow, status, startedAt, nodes, errors, tasks, usage, …}')
    .addHelpText('after', '\nExample:\n  millrace show run_0199a1b2\n  millrace show run_0199a1b2 a2')
    .action(async (run: string, activation: string | undefined, flags: ShowFlags) => {
      if (activation !== undefined) return showActivation(cli, { run, activation }, flags);
      if (flags.call !== undefined) throw new CommandError(exitCodes.invalid, noActivation);
      return show(cli, run, flags.json === true);
    });
}

const noActivation = '`--call` needs an activation: `millrace show RUN ACTIVATION --call 0`.';

interface ActivationPlace {
  readonly run: string;
  readonly activation: string;
}

async function showActivation(
  cli: Cli,
  { run: named, activation }: ActivationPlace,
  { call, json }: ShowFlags,
): Promise<void> {
  await withSession(cli, {}, async (session) => {
    const run = session.millrace.runs.get(await resolveRun(session, named));
    const { activationText, callPage } = await import('../../output/activation-page.ts');
    if (call !== undefined) {
      const found = await run.call(activation, call);
      cli.terminal.data(json ? JSON.stringify(found, null, 2) : callPage(found));
      return;
    }
    const [found, calls] = await Promise.all([run.activation(activation), callsOf(run, activation)]);
    cli.terminal.data(json ? JSON.stringify({ ...found, calls }, null, 2) : activationText(found, calls));
  });
}

/** Reads the calls of an activation one after the other: each holds a whole conversation. */
async function callsOf(run: RunHandle, activation: string) {
  const calls = [];
  for (const { step } of await run.calls(activation)) calls.push(await run.call(activation, step));
  return calls;
}

async function show(cli: Cli, named: string, json: boolean): Promise<void> {
  await withSession(cli, {}, async (session) => {
    const run = await resolveRun(session, named);
    const overview = await readRunOverview(session.millrace, await describe(session, run));
    const { overviewJson, overviewText } = await import('../../output/run-overview.ts');
    const now = Date.now();
    if (json) cli.terminal.data(JSON.stringify(overviewJson(overview), null, 2));
    else cli.terminal.report(overviewText(overview, { now, width: cli.terminal.columns }));
  });
}

/** Activations that are searched for failures: the last ones. */
const searched = 200;
const shownErrors = 5;

/** Reads the overview of a run. It costs as much for a long run as for a short one. */
async function readRunOverview(millrace: Millrace, run: Run): Promise<RunOverview> {
  const handle = millrace.runs.get(run.runId);
  const before = run.activations - searched;
  const [{ graphs }, { data: activations }, tasks] = await Promise.all([
    handle.graph(),
    handle.activations().page(before > 0 ? `a${before}` : undefined),
    withTimes(millrace, run.tasks),
  ]);
  return { run, nodes: graphs.flatMap(nodesOf), errors: failuresIn(activations), tasks };
}

const nodesOf = ({ key, nodes }: RunGraphs['graphs'][number]): readonly NodeState[] =>
  nodes.map(({ id, status, waitsFor }) => ({ node: nameOf(key, id), status, ...omitUndefined({ waitsFor }) }));

const failuresIn = (activations: readonly Activation[]): readonly ActivationFailure[] =>
  activations
    .flatMap(({ id, graph, node, settledAt, error }) =>
      error === undefined
        ? []
        : [{ activation: id, node: nameOf(graph, node), ...error, ...omitUndefined({ settledAt }) }],
    )
    .slice(-shownErrors)
    .reverse();

const nameOf = (graph: string, node: string): string => (graph === '' ? node : `${graph}/${node}`);
