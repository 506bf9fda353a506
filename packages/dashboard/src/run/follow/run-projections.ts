import type { RunEvent, RunGraphs } from '@millrace/client';
import type { GraphProjection, NodeProjection, RunProjection } from '@millrace/core/projection';
import { beginDensity, beginRunProjection, project } from '@millrace/core/projection';
import { addUsage, noModelUsage } from '@millrace/core/usage';

/** Returns the projection of a run after these events, the first ones of its journal. */
export function projectionOf(events: Iterable<RunEvent>): RunProjection {
  const projection = beginRunProjection();
  for (const event of events) project(projection, event);
  return projection;
}

/** Events between two kept projections. */
const keyframeEvery = 5_000;

/** The projections of one run, each made of the nearest one before it. */
export interface RunProjections {
  /** Returns the projection after the first `count` of these events; the same events must come first in later calls. */
  at(events: readonly RunEvent[], count: number): RunProjection;
}

/** Creates the projections of a run. */
export function createProjections(): RunProjections {
  const keyframes: RunProjection[] = [beginRunProjection()];
  let newest: RunProjection | undefined;
  let newestCount = 0;

  function projectTo(events: readonly RunEvent[], to: number): RunProjection {
    const at = Math.min(keyframes.length - 1, Math.floor(to / keyframeEvery));
    const projection = structuredClone(keyframes[at] ?? beginRunProjection());
    for (let next = at * keyframeEvery; next < to; next += 1) step(projection, events, next);
    return projection;
  }

  function step(projection: RunProjection, events: readonly RunEvent[], next: number): void {
    const event = events[next];
    if (event === undefined) return;
    project(projection, event);
    if (next + 1 === keyframes.length * keyframeEvery) keyframes.push(structuredClone(projection));
  }

  return {
    at(events, count) {
      if (newest !== undefined && count < newestCount) return projectTo(events, count);
      const projection = newest ?? projectTo(events, 0);
      for (let next = newestCount; next < count; next += 1) step(projection, events, next);
      newestCount = count;
      // The parts are mutable; a new object signals the change.
      newest = { ...projection };
      return newest;
    },
  };
}

type Graph = RunGraphs['graphs'][number];
type Progress = NonNullable<RunGraphs['progress']>;

/**
 * Returns the projection of a run as of the graphs of the server, with which its next events continue. It lacks the
 * beginnings of outputs, questions and errors, which only events have.
 */
export function continuedProjection({ graphs, progress, ...run }: RunGraphs): RunProjection {
  const { event, at, status, activations, usage, budget } = run;
  const { scopes = [], activations: live = [] } = progress ?? {};
  return {
    event,
    at,
    status: status === 'waiting' ? 'running' : status,
    activations,
    usage: addUsage(noModelUsage, usage),
    budget,
    // Of these events alone: the page reads that of the whole journal from the server.
    density: beginDensity(),
    graphs: new Map(graphs.map((graph) => [graph.key, graphOf(graph, scopes)])),
    scopes: new Map(scopes.map(({ id, ...scope }) => [id, scope])),
    live: new Map(live.map(({ id, ...one }) => [id, one])),
    // Only servers list activations by their state.
    exitFailures: [],
  };
}

function graphOf(graph: Graph, scopes: Progress['scopes']): GraphProjection {
  const { key, nodes, edges, cycles } = graph;
  const own = scopes.filter((scope) => scope.graph === key);
  return {
    nodes: new Map(nodes.map((node, index) => [index, nodeOf(graph, index, { node, scopes: own })])),
    passed: new Map(edges.flatMap(({ index, passed }) => (passed > 0 ? [[index, passed]] : []))),
    // Those that were entered come first; a loop that was never entered has no limit yet.
    cycles: cycles.flatMap(({ nodes: members, iteration, limit }, index) => {
      if (limit === undefined) return [];
      const open = own.filter((scope) => scope.type === 'cycle' && scope.cycle === index).length;
      return [{ members, iteration, limit, open }];
    }),
  };
}

interface NodeParts {
  readonly node: Graph['nodes'][number];
  /** Scopes in progress in its graph. */
  readonly scopes: Progress['scopes'];
}

function nodeOf({ edges }: Graph, index: number, { node, scopes }: NodeParts): NodeProjection {
  const { id, runs, activations, last, usage = noModelUsage, counter, timer, units } = node;
  const open = scopes.filter((scope) => (scope.type === 'map' || scope.type === 'tree') && scope.node === index).length;
  const passed = edges.filter(({ from, missed }) => from === id && missed !== true).map((edge) => edge.index);
  const started = units === undefined ? 0 : units.completed + units.failed + units.live;
  return {
    id,
    runs,
    activations,
    ...(last === undefined ? {} : { last }),
    passed,
    usage: addUsage(noModelUsage, usage),
    ...(counter === undefined ? {} : { counter: counter.value }),
    ...(timer?.startedAt === undefined ? {} : { timer: { startedAt: timer.startedAt, emitted: timer.emitted } }),
    ...(units === undefined ? {} : { units: { total: units.total, started, completed: units.completed, open } }),
  };
}
