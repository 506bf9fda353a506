import type { Activation, Millrace, Run, RunGraphs } from '@millrace/client';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { ActivationFailure, NodeState, RunOverview } from '../output/run-overview.ts';
import { withTimes } from './open-questions.ts';

/** Activations that are searched for failures: the last ones. */
const searched = 200;
const shownErrors = 5;

/** Reads the overview of a run. It costs as much for a long run as for a short one. */
export async function readRunOverview(millrace: Millrace, run: Run): Promise<RunOverview> {
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
