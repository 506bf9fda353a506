import type { ModelUsage } from '../model/usage/usage.ts';
import type { LiveProjection, LiveState, NodeProjection, ProjectedWait, RunProjection } from './run-projection.ts';

/* The parts of a projection as people see them, in pictures of the graphs and in lists. */

/** Statuses of several activations in the order in which they need attention. */
const attention = ['failed', 'waiting', 'working', 'ready'] as const;

/** Status of a run for display: it waits when all live activations wait for something outside the run. */
export type DisplayedStatus = Exclude<RunProjection['status'], 'failing'> | 'waiting';

/** Returns the status of a run for display, as `statusOf` of the runtime does for its present record. */
export function displayedStatus({ status, live }: Pick<RunProjection, 'status' | 'live'>): DisplayedStatus {
  if (status === 'failing') return 'running';
  if (status !== 'running') return status;
  const unsettled = [...live.values()].filter(({ state }) => state !== 'failed');
  const isWaiting = unsettled.every(({ waitsFor }) => waitsFor !== undefined && waitsFor.type !== 'time');
  return unsettled.length > 0 && isWaiting ? 'waiting' : 'running';
}

/**
 * State of a node; `done` when it has run and is not active, `idle` when it has not run. A node whose work continues inside
 * it, in a graph or a fan-out that it has opened, has the status that needs attention first there.
 */
export interface NodeProgress {
  readonly status: LiveState | 'idle' | 'done';
  readonly runs: number;
  /** Its activations that have not settled. */
  readonly live: number;
  /** Number of all of its activations, and the latest one. */
  readonly activations: number;
  readonly last?: string;
  /** Reason why it waits; of several activations, that of the one that has waited longest. */
  readonly waitsFor?: ProjectedWait;
  readonly units?: UnitsProgress;
}

/** Units of the fan-outs of a node that are in progress, or else of its last one. */
export interface UnitsProgress {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  /** Units that were started and have neither completed nor failed. */
  readonly live: number;
}

/** Returns the state of a node by the key of its graph and its index there; `inner` is the key of the graph inside it. */
export type NodeReader = (graph: string, index: number, inner: string | undefined) => NodeProgress;

/** Creates the reader of the nodes of a projection. Its cost grows with the live activations, not with the graphs. */
export function readNodes(projection: RunProjection): NodeReader {
  const live = liveByNode(projection);
  const inside = statesInside(projection);
  const calls = openCalls(projection);
  const statusOf = (node: NodeProjection | undefined, own: readonly LiveProjection[], inner: string | undefined) => {
    const first = attention.find((one) => own.some(({ state }) => state === one));
    if (first !== undefined) return first;
    const isOpen = (node?.units?.open ?? 0) > 0 || (inner !== undefined && calls.has(inner));
    if (!isOpen) return (node?.runs ?? 0) > 0 ? 'done' : 'idle';
    const states = inner === undefined ? undefined : inside.get(inner);
    return attention.find((one) => states?.has(one)) ?? 'working';
  };
  return (graph, index, inner) => {
    const node = projection.graphs.get(graph)?.nodes.get(index);
    const own = live.get(`${index} ${graph}`) ?? [];
    const waitsFor = longestWait(own);
    return {
      status: statusOf(node, own, inner),
      runs: node?.runs ?? 0,
      live: own.length,
      activations: node?.activations ?? 0,
      ...(node?.last === undefined ? {} : { last: node.last }),
      ...(waitsFor === undefined ? {} : { waitsFor }),
      ...(node?.units === undefined ? {} : { units: unitsOf(node.units, own) }),
    };
  };
}

/** Returns the usage of the nodes that have called models, by their paths; of published events, which name nodes. */
export const usageByNode = ({ graphs }: RunProjection): Record<string, ModelUsage> =>
  Object.fromEntries(
    [...graphs].flatMap(([key, { nodes }]) =>
      [...nodes.values()].flatMap(({ id = '', usage }) =>
        usage.calls === 0 ? [] : [[key === '' ? id : `${key}/${id}`, usage]],
      ),
    ),
  );

function liveByNode({ live }: RunProjection): ReadonlyMap<string, readonly LiveProjection[]> {
  const found = new Map<string, LiveProjection[]>();
  for (const one of live.values()) {
    const key = `${one.node} ${one.graph}`;
    const others = found.get(key);
    if (others === undefined) found.set(key, [one]);
    else others.push(one);
  }
  return found;
}

/** Returns the states of the live activations of each graph and of the graphs inside it, by the keys of graphs. */
function statesInside({ live }: RunProjection): ReadonlyMap<string, ReadonlySet<LiveState>> {
  const states = new Map<string, Set<LiveState>>();
  for (const { graph, state } of live.values()) {
    const path = graph.split('/');
    for (let depth = path.length; depth > 0; depth -= 1) {
      const key = path.slice(0, depth).join('/');
      const known = states.get(key);
      if (known === undefined) states.set(key, new Set([state]));
      else known.add(state);
    }
  }
  return states;
}

/** Returns the keys of the graphs that nodes have called and that are not over. */
function openCalls({ scopes }: RunProjection): ReadonlySet<string> {
  const calls = new Set<string>();
  for (const scope of scopes.values()) if (scope.type === 'graph' && scope.parent !== undefined) calls.add(scope.graph);
  return calls;
}

function longestWait(live: readonly LiveProjection[]): ProjectedWait | undefined {
  let longest: ProjectedWait | undefined;
  for (const { waitsFor } of live)
    if (waitsFor !== undefined && (longest === undefined || waitsFor.since < longest.since)) longest = waitsFor;
  return longest;
}

function unitsOf(units: NonNullable<NodeProjection['units']>, live: readonly LiveProjection[]): UnitsProgress {
  const { total, started, completed, open } = units;
  const failed = live.filter(({ state, unit }) => state === 'failed' && unit !== undefined).length;
  return { total, completed, failed, live: open === 0 ? 0 : Math.max(0, started - completed - failed) };
}
