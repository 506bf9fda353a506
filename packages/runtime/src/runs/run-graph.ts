import type {
  CycleProjection,
  GraphPlan,
  GraphProjection,
  LiveProjection,
  NodeProjection,
  Plan,
  PlanNode,
  ProjectedWait,
  RunId,
  RunProjection,
  Vocabulary,
  Workflow,
} from '@millrace/core';
import { beginRunProjection, compile, omitUndefined } from '@millrace/core';
import type { RunCache } from '../commit/run-cache.ts';
import type { GraphCycle, GraphEdge, GraphNode, RunGraph, RunGraphs, RunProgress } from '../contract/run-graphs.ts';
import type { RunStatus } from '../store/port.ts';
import type { InsideNodes } from './node-status.ts';
import { insideNodesOf, nodeStatusOf } from './node-status.ts';

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
    status: statusIn(projection),
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

/** Returns the status of a run for display, as `statusOf` does for its present record. */
function statusIn({ status, live }: RunProjection): RunStatus {
  if (status === 'failing') return 'running';
  if (status !== 'running') return status;
  const unsettled = [...live.values()].filter(({ state }) => state !== 'failed');
  const isWaiting = unsettled.length > 0 && unsettled.every(({ waitsFor }) => isBlocking(waitsFor));
  return isWaiting ? 'waiting' : status;
}

const isBlocking = (wait: ProjectedWait | undefined): boolean => wait !== undefined && wait.type !== 'time';

/** Returns the graphs of a run with the status of their nodes. */
export function graphsOf(plan: Plan, projection: RunProjection): readonly RunGraph[] {
  const live = liveByNode(projection);
  const inside = insideNodesOf(projection);
  return [...plan.graphs.values()].map((graph) => {
    const shown = projection.graphs.get(graph.key);
    return {
      key: graph.key,
      id: graph.id,
      logLevel: graph.logLevel,
      items: graph.items.map(({ members }) => members),
      cycles: cyclesOf(graph, shown),
      nodes: graph.nodes.map((node) =>
        nodeOf(node, {
          shown: shown?.nodes.get(node.index),
          live: live.get(placeOf(graph.key, node.index)) ?? [],
          inside,
        }),
      ),
      edges: edgesOf(graph, shown),
    };
  });
}

const placeOf = (graph: string, node: number): string => `${node} ${graph}`;

function liveByNode({ live }: RunProjection): ReadonlyMap<string, readonly LiveProjection[]> {
  const found = new Map<string, LiveProjection[]>();
  for (const one of live.values()) {
    const place = placeOf(one.graph, one.node);
    const others = found.get(place);
    if (others === undefined) found.set(place, [one]);
    else others.push(one);
  }
  return found;
}

interface NodeParts {
  readonly shown: NodeProjection | undefined;
  readonly live: readonly LiveProjection[];
  readonly inside: InsideNodes;
}

function nodeOf(node: PlanNode, { shown, live, inside }: NodeParts): GraphNode {
  const { id, type, graph } = node;
  const runs = shown?.runs ?? 0;
  const wait = longestWait(live);
  return {
    id,
    type,
    ...traitsOf(node),
    ...omitUndefined({ graph }),
    status: nodeStatusOf(node, { shown, live, inside }),
    runs,
    live: live.length,
    activations: shown?.activations ?? 0,
    ...(shown?.last === undefined ? {} : { last: shown.last }),
    ...omitUndefined({ waitsFor: wait }),
    ...guardOf(node, shown),
    ...unitsOf(shown, live),
    ...(shown === undefined || shown.usage.calls === 0 ? {} : { usage: shown.usage }),
  };
}

const traitsOf = ({ guard, waits, logOutput }: PlanNode): Pick<GraphNode, 'guard' | 'waits' | 'discreet'> => ({
  ...(guard ? { guard: true } : {}),
  ...(waits ? { waits: true } : {}),
  ...(logOutput ? {} : { discreet: true }),
});

function longestWait(live: readonly LiveProjection[]): ProjectedWait | undefined {
  let longest: ProjectedWait | undefined;
  for (const { waitsFor } of live)
    if (waitsFor !== undefined && (longest === undefined || waitsFor.since < longest.since)) longest = waitsFor;
  return longest;
}

function guardOf({ limit }: PlanNode, shown: NodeProjection | undefined): Pick<GraphNode, 'counter' | 'timer'> {
  if (limit === undefined) return {};
  if ('triggers' in limit) return { counter: { value: shown?.counter ?? 0, limit: limit.triggers } };
  return { timer: { limitMs: limit.ms, emitted: false, ...shown?.timer } };
}

function unitsOf(shown: NodeProjection | undefined, live: readonly LiveProjection[]): Pick<GraphNode, 'units'> {
  if (shown?.units === undefined) return {};
  const { total, started, completed, open } = shown.units;
  const failed = live.filter(({ state, unit }) => state === 'failed' && unit !== undefined).length;
  return { units: { total, completed, failed, live: open === 0 ? 0 : Math.max(0, started - completed - failed) } };
}

function cyclesOf({ items }: GraphPlan, shown: GraphProjection | undefined): readonly GraphCycle[] {
  const entered = shown?.cycles ?? [];
  const planned = items.filter(({ cycle }) => cycle).map(({ members }) => members);
  const others = planned.filter((members) => !entered.some((one) => isSame(one.members, members)));
  return [...entered.map(cycleOf), ...others.map((nodes) => ({ nodes, turn: 0, live: false }))];
}

const cycleOf = ({ members, turn, limit, open }: CycleProjection): GraphCycle => ({
  nodes: members,
  turn,
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
