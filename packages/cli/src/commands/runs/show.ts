import type { Activation, Millrace, Run, RunGraphs } from '@millrace/client';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { withSession } from '../../client/session.ts';
import type { ActivationFailure, NodeState, RunOverview } from '../../output/run-overview.ts';
import type { Cli } from '../../process/cli.ts';
import { withTimes } from '../../requests/open-questions.ts';
import { describe, resolveRun } from '../../requests/resolve-run.ts';

/** `millrace show`: describes a run on one page. */
export function addShow(program: Command, cli: Cli): void {
  program
    .command('show')
    .description(
      'describe a run on one page: its status, the nodes that are executing, cost, last errors and open questions',
    )
    .argument('<run>', 'id of the run, or the beginning of it')
    .option('--json', 'print {runId, workflow, status, startedAt, nodes, errors, tasks, usage, …}')
    .addHelpText('after', '\nExample:\n  millrace show run_0199a1b2')
    .action(async (run: string, { json }: { json?: boolean }) => show(cli, run, json === true));
}

async function show(cli: Cli, named: string, json: boolean): Promise<void> {
  await withSession(cli, {}, async (session) => {
    const run = await resolveRun(session, named);
    const overview = await readRunOverview(session.millrace, await describe(session, run));
    const { overviewJson, overviewText } = await import('../../output/run-overview.ts');
    const now = Date.now();
    if (json) cli.terminal.data(JSON.stringify(overviewJson(overview), null, 2));
    else cli.terminal.data(overviewText(overview, { now, width: cli.terminal.columns }));
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
