import type { ScopeId } from '../../../model/ids.ts';
import type { MessageRef } from '../../../model/messages/message.ts';
import type { GraphPlan, PlanNode } from '../../../plan/plan.ts';
import type { Route } from '../../records/activation-events.ts';
import type { Event } from '../../records/event.ts';
import type { FanOutScope, JoinedDelivery, JoinedMessage, JoinedResults } from '../../records/fan-out-records.ts';
import type { JoinedKey, JoinedKind, UnitsKey } from '../../records/keys.ts';
import { selfEdge } from '../../records/route.ts';
import { mergeActivationFiles } from '../../state/files.ts';
import type { Fold } from '../../state/fold.ts';
import { graphOf, nodeOf, scopeOf } from '../../state/lookup.ts';
import type { Draft } from '../../state/state.ts';
import { returnsAllOutputs } from './complete-node.ts';

/*
 * The results of a fan-out are joined when all of its units have settled: its outputs and deliveries are those of its units, in
 * their order, whichever was faster. For a fan-out of very many units that is done part by part, each in a commit of its own:
 * a part moves results into lists of messages, which nobody reads before the fan-out ends; see joined-messages.ts.
 */

/** The results of a fan-out before the first part is joined. */
export const nothingJoined: JoinedResults = { units: 0, outputs: 0, deliveries: [], triggered: [] };

/** Returns the list with the units of the current layer. */
export const unitsOf = (id: ScopeId, { units }: FanOutScope): UnitsKey => units ?? `units/${id}`;

/** Returns the list with the units of the next layer of a large tree. */
export const nextUnitsOf = (id: ScopeId, { layer }: FanOutScope): UnitsKey => `units/${id}/${layer + 1}`;

/** Returns the list with the outputs of a large fan-out. */
export const joinedOutputsOf = (id: ScopeId, { id: node }: PlanNode): JoinedKey => `joined/${id}/outputs/${node}`;

/** The output of a group is input of the next one, whichever role it had. */
export const asUnit = (output: MessageRef): MessageRef => ({ ...output, role: 'user' });

/** Folds the joining of a part of the units. */
export function unitsJoined({ plan, draft }: Fold, event: Extract<Event, { type: 'units.joined' }>): void {
  const { scope: id, units } = event;
  const scope = scopeOf(draft, id);
  if (scope.type !== 'map' && scope.type !== 'tree') throw new Error(`scope ${id} is not a fan-out`);
  const before = scope.joined ?? nothingJoined;
  const to = before.units + units;
  const { outputs, routes } = takeResults(draft, { id, frame: scope.frame }, { from: before.units, to });
  const last = outputs.at(-1) ?? before.last;
  const graph = graphOf(plan, scope);
  const node = nodeOf(graph, scope.node);
  if (scope.type === 'tree') draft.append(nextUnitsOf(id, scope), outputs.map(asUnit));
  else if (returnsAllOutputs(draft, { scopeId: scope.parent, graph, frame: scope.frame, node }))
    draft.append(
      joinedOutputsOf(id, node),
      outputs.map((output, at) => ({ n: before.outputs + at, ...output })),
    );
  const joined: JoinedResults = {
    units: to,
    outputs: before.outputs + outputs.length,
    ...(last === undefined ? {} : { last }),
    ...joinRoutes(draft, { id, graph, node, before }, routes),
  };
  draft.set(`scope/${id}`, { ...scope, joined });
}

/** Removes everything that is stored of the units of a fan-out, and of their results. */
export function deleteUnits({ plan, draft }: Pick<Fold, 'plan' | 'draft'>, id: ScopeId, scope: FanOutScope): void {
  draft.trim(unitsOf(id, scope), 0);
  const joined = scope.joined ?? nothingJoined;
  if (scope.joined !== undefined) {
    draft.trim(nextUnitsOf(id, scope), 0);
    draft.trim(joinedOutputsOf(id, nodeOf(graphOf(plan, scope), scope.node)), 0);
  }
  for (const { recent, kept } of joined.deliveries) {
    if (recent !== undefined) draft.trim(recent, 0);
    if (kept !== undefined) draft.trim(kept, 0);
  }
  for (let unit = joined.units; unit < scope.total; unit++) draft.delete(`result/${id}/${unit}`);
}

/**
 * Removes and returns the results of some units in the order of the units, as if one execution had made them; joins
 * their files in the same order.
 */
export function takeResults(
  draft: Draft,
  { id, frame }: { readonly id: ScopeId; readonly frame: ScopeId },
  { from, to }: { readonly from: number; readonly to: number },
): { outputs: MessageRef[]; routes: Route[] } {
  const outputs: MessageRef[] = [];
  const routes: Route[] = [];
  const own: Route[] = [];
  for (let unit = from; unit < to; unit++) {
    const result = draft.get(`result/${id}/${unit}`);
    if (result === undefined) continue;
    draft.delete(`result/${id}/${unit}`);
    if (result.changes !== undefined) mergeActivationFiles(draft, frame, result.changes);
    for (const route of result.routes) {
      // Outputs that a node keeps in its own context come after all that its edges deliver.
      (route.edge === selfEdge ? own : routes).push({ ...route, output: route.output + outputs.length });
    }
    for (const output of result.outputs) outputs.push(output);
  }
  return { outputs, routes: [...routes, ...own] };
}

interface Joining {
  readonly id: ScopeId;
  readonly graph: GraphPlan;
  readonly node: PlanNode;
  readonly before: JoinedResults;
}

/** Moves messages on their routes into the lists of their targets. */
function joinRoutes(
  draft: Draft,
  { id, graph, node, before }: Joining,
  routes: readonly Route[],
): Pick<JoinedResults, 'deliveries' | 'triggered'> {
  const open = new Map(before.deliveries.map((one) => [targetOf(one), new DeliveryInProgress(one)]));
  const triggered = [...before.triggered];
  const keysOf = (target: number): Readonly<Record<Kind, JoinedKey>> => {
    const kinds = target === selfEdge ? ownKinds : sentKinds;
    const name = target === selfEdge ? node.id : nodeOf(graph, target).id;
    return { recent: `joined/${id}/${kinds.recent}/${name}`, kept: `joined/${id}/${kinds.kept}/${name}` };
  };
  for (const route of routes) {
    const edge = graph.edges[route.edge];
    const to = edge?.to ?? node.index;
    const target = targetOf({ edge: route.edge, to });
    const delivery = open.get(target) ?? new DeliveryInProgress({ to, edge: route.edge, count: 0, fired: [] });
    open.set(target, delivery);
    if (edge?.clearContext) delivery.clear(draft, 'recent', keysOf(target).recent);
    if (edge?.clearKeptContext) delivery.clear(draft, 'kept', keysOf(target).kept);
    if (route.dropped) continue;
    if (route.message !== undefined) delivery.add(route.message, edge?.dynamic === true);
    if (edge?.trigger !== true) continue;
    delivery.fire(edge.index);
    if (!triggered.includes(to)) triggered.push(to);
  }
  return { deliveries: [...open].map(([target, delivery]) => delivery.store(draft, keysOf(target))), triggered };
}

/** Returns the node that a delivery goes to; -1 for the context of the node itself. */
const targetOf = ({ edge, to }: Pick<Delivery, 'edge' | 'to'>): number => (edge === selfEdge ? selfEdge : to);

type Kind = 'recent' | 'kept';

const sentKinds: Readonly<Record<Kind, JoinedKind>> = { recent: 'recent', kept: 'kept' };
const ownKinds: Readonly<Record<Kind, JoinedKind>> = { recent: 'own-recent', kept: 'own-kept' };

type Delivery = JoinedResults['deliveries'][number];

/** A delivery to which messages of one part are added. */
class DeliveryInProgress {
  readonly to: number;
  #edge: number;
  #count: number;
  readonly #fired: number[];
  readonly #added: Record<Kind, JoinedMessage[]> = { recent: [], kept: [] };
  readonly #cleared: Record<Kind, boolean>;

  constructor({ to, edge, count, fired, clears, clearsKept }: Delivery) {
    this.to = to;
    this.#edge = edge;
    this.#count = count;
    this.#fired = [...fired];
    this.#cleared = { recent: clears === true, kept: clearsKept === true };
  }

  clear(draft: Draft, kind: Kind, key: JoinedKey): void {
    draft.trim(key, 0);
    this.#added[kind] = [];
    this.#cleared[kind] = true;
  }

  add(message: MessageRef, isDynamic: boolean): void {
    const added = this.#added[message.keep ? 'kept' : 'recent'];
    added.push({ n: this.#count, ...(isDynamic ? { dynamic: true } : {}), ...message });
    this.#count += 1;
  }

  fire(edge: number): void {
    this.#edge = edge;
    if (!this.#fired.includes(edge)) this.#fired.push(edge);
  }

  /** Moves the added messages into these lists. */
  store(draft: Draft, keys: Readonly<Record<Kind, JoinedKey>>): Delivery {
    const stored = (kind: Kind): Pick<JoinedDelivery, Kind> => {
      draft.append(keys[kind], this.#added[kind]);
      return draft.size(keys[kind]) === 0 ? {} : { [kind]: keys[kind] };
    };
    return {
      to: this.to,
      edge: this.#edge,
      ...stored('recent'),
      ...stored('kept'),
      count: this.#count,
      fired: this.#fired,
      ...(this.#cleared.recent ? { clears: true } : {}),
      ...(this.#cleared.kept ? { clearsKept: true } : {}),
    };
  }
}
