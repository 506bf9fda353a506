import type { ScopeId } from '../../../model/ids.ts';
import type { MessageRef } from '../../../model/messages/message.ts';
import type { GraphPlan, PlanNode } from '../../../plan/plan.ts';
import type { Route } from '../../records/activation-events.ts';
import type { JoinedResults } from '../../records/fan-out-records.ts';
import type { JoinedKey } from '../../records/keys.ts';
import type { CycleScope } from '../../records/records.ts';
import { selfEdge } from '../../records/route.ts';
import type { Fold } from '../../state/fold.ts';
import { appendPending, appendToInbox, receiveDelivery, trimInbox } from '../../state/inbox.ts';
import { graphOf, nodeOf, scopeOf } from '../../state/lookup.ts';
import type { Draft } from '../../state/state.ts';
import { settleItem, triggerItem } from './evolve-graph.ts';
import { countRunningNodes } from './evolve-termination.ts';

/** A node that is completed, with all its units if it has any. */
export interface CompletedNode {
  readonly scopeId: ScopeId;
  readonly graph: GraphPlan;
  readonly frame: ScopeId;
  readonly node: PlanNode;
}

/** Outputs and routes of a completed node; those of a large fan-out are joined already. */
export type NodeResult = (NodeOutputs & { readonly routes: readonly Route[] }) | JoinedOutputs;

interface NodeOutputs {
  readonly outputs: readonly MessageRef[];
}

interface JoinedOutputs extends Pick<JoinedResults, 'last' | 'deliveries' | 'triggered'> {
  /** The list with its outputs, if its graph returns all of them. */
  readonly list: JoinedKey;
}

/**
 * Folds the completion of a node: its own context, its deliveries, and its part in the count of live items of its
 * scope.
 */
export function completeNode(fold: Fold, done: CompletedNode, result: NodeResult): void {
  const { draft } = fold;
  const { scopeId, graph, frame, node } = done;
  recordOutputs(draft, done, result);
  countRunningNodes(fold, { graph, frame, node: node.index }, -1);
  const scope = scopeOf(draft, scopeId);
  if (scope.type === 'graph') trimInbox(draft, frame, node);
  if (scope.type === 'graph' && graph.voting) {
    const message = lastOf(result);
    appendPending(draft, `pending/${frame}/${frame}/`, {
      from: node.index,
      edge: selfEdge,
      ...(message === undefined ? {} : { message }),
    });
    draft.set(`scope/${scopeId}`, { ...scope, live: scope.live - 1 });
    return;
  }
  if ('list' in result) deliverJoined(fold, done, result);
  else deliverAll(fold, done, result.routes);
  if (scope.type === 'graph') settleItem(fold, scopeId, graph.itemOf[node.index] ?? 0);
  else if (scope.type === 'cycle') {
    const now = scopeOf(draft, scopeId) as CycleScope; // the id still names the cycle; deliveries may have noted exits in it
    draft.set(`scope/${scopeId}`, { ...now, live: now.live - 1 });
  }
}

/** Records the outputs of a node. */
export function recordOutputs(
  draft: Draft,
  { scopeId, graph, frame, node }: CompletedNode,
  result: NodeOutputs | JoinedOutputs,
): void {
  const before = draft.get(`node/${frame}/${node.id}`);
  const last = lastOf(result) ?? before?.last;
  draft.set(`node/${frame}/${node.id}`, { runs: (before?.runs ?? 0) + 1, ...(last === undefined ? {} : { last }) });
  if (!returnsAllOutputs(draft, { scopeId, graph, frame, node })) return;
  if (!('list' in result)) draft.append(`outputs/${frame}/${node.id}`, result.outputs);
  else if (draft.size(result.list) > 0) draft.append(`outputs/${frame}/${node.id}`, [{ joined: result.list }]);
}

/** Returns whether all outputs of a node are returned to the caller of its graph; of the root graph, only the last one counts. */
export function returnsAllOutputs(draft: Draft, { scopeId, graph, frame, node }: CompletedNode): boolean {
  const scope = scopeOf(draft, scopeId);
  const called = scope.type === 'graph' ? scope.caller !== undefined : frame !== 's0';
  return called && graph.finals.includes(node.index);
}

const lastOf = (result: NodeOutputs | JoinedOutputs): MessageRef | undefined =>
  'list' in result ? result.last : result.outputs.at(-1);

function deliverAll(fold: Fold, done: CompletedNode, routes: readonly Route[]): void {
  for (const route of routes) {
    if (route.edge !== selfEdge) deliver(fold, done, route);
    else if (route.message !== undefined) keepInContext(fold.draft, done, route.message);
  }
}

/** Does the same with the messages of a large fan-out, which stay in their lists. */
function deliverJoined(fold: Fold, done: CompletedNode, { deliveries, triggered }: JoinedOutputs): void {
  const { draft } = fold;
  const { scopeId, frame, node, graph } = done;
  for (const { to, edge, ...delivery } of deliveries) {
    if (edge === selfEdge) continue;
    appendPending(draft, `pending/${scopeId}/${frame}/${nodeOf(graph, to).id}`, {
      from: positionOf(draft, done),
      edge,
      ...(delivery.fired.length === 0 ? { dropped: true as const } : {}),
      delivery,
    });
  }
  for (const { edge, to: _own, ...delivery } of deliveries) {
    if (edge !== selfEdge) continue;
    if (scopeOf(draft, scopeId).type === 'graph') receiveDelivery(draft, { frame, node: node.id }, delivery);
    else appendPending(draft, `pending/${scopeId}/${frame}/${node.id}`, { from: node.index, edge, delivery });
  }
  for (const target of triggered) triggerNode(fold, scopeId, target);
}

/** Returns the position of a node among its siblings, in the order of which their deliveries are applied. */
const positionOf = (draft: Draft, { scopeId, graph, node }: CompletedNode): number =>
  scopeOf(draft, scopeId).type === 'graph' ? (graph.itemOf[node.index] ?? 0) : node.index;

/**
 * Sends a message. It waits in the scope of its source for the source's siblings; a cycle forwards it from there, level
 * by level, to the scope that source and target have in common.
 */
function deliver(fold: Fold, { scopeId, graph, frame, node }: CompletedNode, route: Route): void {
  const { draft } = fold;
  const edge = graph.edges[route.edge];
  const target = graph.nodes[edge?.to ?? -1];
  if (edge === undefined || target === undefined) throw new Error(`graph "${graph.key}" has no edge ${route.edge}`);
  appendPending(draft, `pending/${scopeId}/${frame}/${target.id}`, {
    from: positionOf(draft, { scopeId, graph, frame, node }),
    edge: edge.index,
    ...(route.dropped ? { dropped: true as const } : {}),
    ...(route.message === undefined ? {} : { message: route.message }),
  });
  if (edge.trigger && route.dropped !== true) triggerNode(fold, scopeId, target.index);
}

/**
 * Records that an edge triggered a node, in each cycle that the edge leads out of, and in the graph if it leads there.
 */
export function triggerNode(fold: Fold, from: ScopeId, target: number): void {
  const { draft, plan } = fold;
  let id = from;
  let scope = scopeOf(draft, id);
  while (scope.type === 'cycle' && !scope.members.includes(target)) {
    if (!scope.exits.includes(target)) draft.set(`scope/${id}`, { ...scope, exits: [...scope.exits, target] });
    id = scope.parent;
    scope = scopeOf(draft, id);
  }
  if (scope.type === 'graph') triggerItem(fold, { id, graph: graphOf(plan, scope) }, target);
}

/** Keeps the output of a node with a context window in the node's own context. */
function keepInContext(draft: Draft, { scopeId, frame, node }: CompletedNode, message: MessageRef): void {
  if (scopeOf(draft, scopeId).type === 'graph') appendToInbox(draft, { frame, node: node.id }, message);
  else appendPending(draft, `pending/${scopeId}/${frame}/${node.id}`, { from: node.index, edge: selfEdge, message });
}
