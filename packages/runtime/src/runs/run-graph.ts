import type { GraphPlan, Plan, PlanNode, RunId, Vocabulary, Workflow } from '@millrace/core';
import { compile, omitUndefined } from '@millrace/core';
import type {
  CycleProjection,
  GraphProjection,
  NodeProgress,
  NodeProjection,
  RunProjection,
} from '@millrace/core/projection';
import { beginRunProjection, displayedStatus, readNodes } from '@millrace/core/projection';
import type { RunCache } from '../commit/run-cache.ts';
import type { GraphCycle, GraphEdge, GraphNode, RunGraph, RunGraphs, RunProgress } from '../contract/run-graphs.ts';

/** Returns the graphs of a run now, or as of an event; undefined when there is no such run. */
export async function readRunGraphs(
  { cache, now }: { readonly cache: RunCache; readonly now: () => number },
  run: RunId,
  at?: string,
): Promise<RunGraphs | undefined> {
  const cached = await cache.fresh(run, () => false);
  if (cached === undefined) return undefined;
  const plan = await cache.planOf(cached);
  const projection = await (at === undefined ? cache.projections.latest(cached) : cache.projections.at(cached, at));
  const definition = cached.state.get('origin')?.definition?.hash;
  const { event, usage, budget, activations } = projection;
  return omitUndefined({
    event,
    at: projection.at,
    now: now(),
    status: displayedStatus(projection),
    usage,
    budget,
    activations,
    graphs: graphsOf(plan, projection),
    progress: progressOf(projection),
    definition,
  });
}

/** Returns the graphs of a workflow as those of a run before its first event, for pictures of a text. */
export function workflowGraphs(
  workflow: Workflow,
  { vocabulary, now }: { readonly vocabulary: Vocabulary; readonly now: number },
): RunGraphs {
  const projection = beginRunProjection();
  const { event, usage, budget, activations } = projection;
  const graphs = graphsOf(compile(workflow, vocabulary), projection);
  return {
    event,
    at: now,
    now,
    status: 'running',
    usage,
    budget,
    activations,
    graphs,
    progress: progressOf(projection),
  };
}

/** Returns what is in progress, as data that later events do not change. */
export const progressOf = ({ scopes, live }: RunProjection): RunProgress => ({
  scopes: [...scopes].map(([id, scope]) => ({ id, ...scope })),
  activations: [...live].map(([id, one]) => ({ id, ...one })),
});

/** Returns the graphs of a run with the status of their nodes. */
export function graphsOf(plan: Plan, projection: RunProjection): readonly RunGraph[] {
  const read = readNodes(projection);
  return [...plan.graphs.values()].map((graph) => {
    const shown = projection.graphs.get(graph.key);
    return {
      key: graph.key,
      id: graph.id,
      logLevel: graph.logLevel,
      items: graph.items.map(({ members }) => members),
      cycles: cyclesOf(graph, shown),
      nodes: graph.nodes.map((node) =>
        nodeOf(node, read(graph.key, node.index, node.graph), shown?.nodes.get(node.index)),
      ),
      edges: edgesOf(graph, shown),
    };
  });
}

function nodeOf(node: PlanNode, state: NodeProgress, shown: NodeProjection | undefined): GraphNode {
  const { id, type, graph } = node;
  return {
    id,
    type,
    ...traitsOf(node),
    ...omitUndefined({ graph }),
    ...state,
    ...guardOf(node, shown),
    ...(shown === undefined || shown.usage.calls === 0 ? {} : { usage: shown.usage }),
  };
}

const traitsOf = ({
  guard,
  waits,
  logOutput,
  dataText,
}: PlanNode): Pick<GraphNode, 'guard' | 'waits' | 'discreet' | 'data'> => ({
  ...omitUndefined({ data: dataText }),
  ...(guard ? { guard: true } : {}),
  ...(waits ? { waits: true } : {}),
  ...(logOutput ? {} : { discreet: true }),
});

function guardOf({ limit }: PlanNode, shown: NodeProjection | undefined): Pick<GraphNode, 'counter' | 'timer'> {
  if (limit === undefined) return {};
  if ('triggers' in limit) return { counter: { value: shown?.counter ?? 0, limit: limit.triggers } };
  return { timer: { limitMs: limit.ms, emitted: false, ...shown?.timer } };
}

function cyclesOf({ items }: GraphPlan, shown: GraphProjection | undefined): readonly GraphCycle[] {
  const entered = shown?.cycles ?? [];
  const planned = items.filter(({ cycle }) => cycle).map(({ members }) => members);
  const others = planned.filter((members) => !entered.some((one) => isSame(one.members, members)));
  return [...entered.map(cycleOf), ...others.map((nodes) => ({ nodes, iteration: 0, live: false }))];
}

const cycleOf = ({ members, iteration, limit, open }: CycleProjection): GraphCycle => ({
  nodes: members,
  iteration,
  limit,
  live: open > 0,
});

const isSame = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((member, at) => member === other[at]);

function edgesOf({ nodes, edges }: GraphPlan, shown: GraphProjection | undefined): readonly GraphEdge[] {
  const idOf = (index: number): string => nodes[index]?.id ?? '';
  return edges.map(({ index, from, to, trigger, carryData, dynamic, onError, condition, conditionText }) => ({
    index,
    from: idOf(from),
    to: idOf(to),
    trigger,
    carryData,
    dynamic,
    onError,
    conditional: condition !== null,
    ...omitUndefined({ condition: conditionText }),
    passed: shown?.passed.get(index) ?? 0,
    ...(shown?.nodes.get(from)?.passed?.includes(index) === false ? { missed: true } : {}),
  }));
}
