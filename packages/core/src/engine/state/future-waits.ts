import type { ScopeId } from '../../model/ids.ts';
import type { GraphPlan, Plan } from '../../plan/plan.ts';
import type { ActivationRecord } from '../records/activation-record.ts';
import { activationsOf, frameOf, graphOf, scopeOf } from './lookup.ts';
import type { StateView } from './state.ts';

/**
 * Returns whether a node can still begin to wait for an event of this name: it can be reached from what is executing, waiting
 * or due.
 */
export function canBeAwaited(plan: Plan, state: StateView, name: string): boolean {
  for (const [frame, { graph, items }] of liveItems(plan, state)) {
    for (const item of state.list(`due/${frame}`)) items.add(item);
    for (const item of withSuccessors(graph, items))
      if ((graph.items[item]?.members ?? []).some((node) => awaitsInside(plan, graph, { node, name }))) return true;
  }
  return false;
}

/** Items of one execution of a graph. */
interface FrameItems {
  readonly graph: GraphPlan;
  readonly items: Set<number>;
}

/** Returns the executions of graphs, each with the items in which something is live. */
function liveItems(plan: Plan, state: StateView): ReadonlyMap<ScopeId, FrameItems> {
  const frames = new Map<ScopeId, FrameItems>();
  const within = (scope: ScopeId): FrameItems => {
    const record = scopeOf(state, scope);
    const frame = frameOf(record, scope);
    const known = frames.get(frame) ?? { graph: graphOf(plan, record), items: new Set() };
    frames.set(frame, known);
    return known;
  };
  const add = (scope: ScopeId, node: number) => {
    const { graph, items } = within(scope);
    const item = graph.itemOf[node];
    if (item !== undefined) items.add(item);
  };
  for (const key of state.keys('scope/')) {
    const id = key.slice('scope/'.length) as ScopeId; // the key's form
    const record = scopeOf(state, id);
    if (record.type !== 'graph') add(id, record.type === 'cycle' ? record.entry : record.node);
    else {
      within(id);
      if (record.caller !== undefined) add(record.caller.scope, record.caller.node);
    }
  }
  for (const [, record] of activationsOf(state)) {
    if (isPast(state, record)) addSuccessors(within(record.scope), record.node);
    else add(record.scope, record.node);
  }
  return frames;
}

/** Returns whether an activation has begun its wait for an event, outside of loops and fan-outs, and waits for no further one. */
const isPast = (state: StateView, { wait, scope }: ActivationRecord): boolean =>
  wait?.kind === 'event' && scopeOf(state, scope).type === 'graph';

function addSuccessors({ graph, items }: FrameItems, node: number): void {
  for (const next of graph.items[graph.itemOf[node] ?? -1]?.successors ?? []) items.add(next);
}

/** Returns items with all that come after them. */
function withSuccessors(graph: GraphPlan, from: ReadonlySet<number>): ReadonlySet<number> {
  const found = new Set(from);
  for (const item of found) for (const next of graph.items[item]?.successors ?? []) found.add(next);
  return found;
}

interface NamedWait {
  readonly node: number;
  readonly name: string;
}

/** Returns whether a node, or a node of the graphs inside it, waits for events of this name. */
function awaitsInside(plan: Plan, graph: GraphPlan, { node: index, name }: NamedWait): boolean {
  const node = graph.nodes[index];
  if (node === undefined) return false;
  if (node.awaits?.event === name) return true;
  const inner = node.graph === undefined ? undefined : plan.graphs.get(node.graph);
  return inner?.nodes.some((_, at) => awaitsInside(plan, inner, { node: at, name })) ?? false;
}
