import type { ScopeId } from '../../model/ids.ts';
import type { GraphPlan, Item } from '../../plan/plan.ts';
import { finalNodeOf, itemRecordOf } from '../evolve/scopes/evolve-graph.ts';
import type { GraphScope } from '../records/records.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { finishRun, readyActivation } from '../state/decision-context.ts';
import { graphOf, nodeOf, scopeOf } from '../state/lookup.ts';
import { disarmTermination } from '../termination/alarms.ts';
import { enterScopes, mustWaitForScope } from '../termination/enter-scopes.ts';
import { enterCycle } from './cycle.ts';

/**
 * Starts everything that is due in a graph. An item is due when everything before it has settled or was skipped; it is
 * executed if at least one edge triggered it, and skipped otherwise. There is no barrier between levels: unrelated
 * branches never wait for each other. Leaves the graph when nothing is left.
 */
export function advanceGraph(context: DecisionContext, id: ScopeId, scope: GraphScope): undefined {
  const graph = graphOf(context.plan, scope);
  if (graph.voting) return advanceVote(context, id, graph);
  for (let due = context.draft.list(`due/${id}`); due.length > 0; due = context.draft.list(`due/${id}`)) {
    if (!startDueItems(context, { id, graph }, due)) return;
  }
  const now = scopeOf(context.draft, id);
  if (now.type === 'graph' && now.live === 0) leave(context, { id, graph, scope: now });
}

interface GraphInFrame {
  readonly id: ScopeId;
  readonly graph: GraphPlan;
}

/**
 * Starts or skips the items at the head of the due list. Returns false if the run fails at one of them or one must
 * wait.
 */
function startDueItems(context: DecisionContext, { id, graph }: GraphInFrame, due: readonly number[]): boolean {
  let skipped: number[] = [];
  const skip = () => {
    if (skipped.length > 0) context.emit({ type: 'items.skipped', scope: id, items: skipped });
    skipped = [];
  };
  for (const index of due) {
    const item = graph.items[index];
    const entry = item === undefined ? undefined : entryOf(context, { id, graph }, item);
    if (item === undefined || entry === undefined) {
      skipped.push(index);
      continue;
    }
    skip();
    if (entry === 'conflict' || mustWaitForScope(context.draft, { graph, frame: id }, item.members)) return false;
    if (item.cycle) enterCycle(context, { parent: id, item: index, members: item.members, entry });
    else readyNode(context, id, entry);
  }
  skip();
  return true;
}

/** Makes a node outside of cycles ready. */
function readyNode(context: DecisionContext, scope: ScopeId, node: number): void {
  const { draft, plan } = context;
  const enclosing = graphOf(plan, scopeOf(draft, scope));
  enterScopes(context, { graph: enclosing, frame: scope }, node);
  const { fanOut, graph } = nodeOf(enclosing, node);
  const part = fanOut !== undefined || graph !== undefined ? 'open' : 'whole';
  readyActivation(context, { scope, node, part });
}

/** Returns the node through which an item is entered; undefined if nothing triggered it. */
function entryOf(context: DecisionContext, { id, graph }: GraphInFrame, item: Item): number | undefined | 'conflict' {
  const { triggered, told } = itemRecordOf(context.draft, { id, graph }, item.index);
  const [first, second] = triggered;
  if (told) return first;
  if (!item.cycle || first === undefined) return item.entry ?? first;
  const names = (nodes: readonly number[]) => nodes.map((node) => `"${nodeOf(graph, node).id}"`).join(' and ');
  if (second !== undefined) {
    return conflict(
      context,
      'CYCLE_ENTRIES',
      `The cycle of ${names(item.members)} was entered at ${names(triggered)} at once.`,
    );
  }
  if (item.entry !== undefined && item.entry !== first) {
    return conflict(
      context,
      'CYCLE_ENTRY',
      `The cycle of ${names(item.members)} starts at ${names([item.entry])} but was entered at ${names([first])}.`,
    );
  }
  return first;
}

function conflict({ emit }: DecisionContext, code: string, message: string): 'conflict' {
  emit({ type: 'run.failing', error: { code, message } });
  return 'conflict';
}

function leave(context: DecisionContext, { id, graph, scope }: GraphInFrame & { scope: GraphScope }): void {
  const { draft, emit } = context;
  const final = finalNodeOf(draft, graph, id);
  if (scope.caller === undefined) {
    const output = final === undefined ? undefined : draft.get(`node/${id}/${final.id}`)?.last;
    finishRun(context, { status: 'completed', ...(output === undefined ? {} : { output }) });
    return;
  }
  const from = graph.voting ? (`pending/${id}/${id}/` as const) : (`outputs/${id}/${final?.id ?? ''}` as const);
  for (const name of ['', ...graph.scopes.map((one) => one.id)]) disarmTermination(context, { scope: id, name });
  emit({ type: 'graph.left', scope: id });
  readyActivation(context, { ...scope.caller, part: 'close', from });
}

/**
 * Starts all voters at once; then starts the count of the votes: the caller's `close`, or a separate activation at
 * the root.
 */
function advanceVote(context: DecisionContext, id: ScopeId, graph: GraphPlan): undefined {
  const { draft } = context;
  const hasStarted = graph.nodes.some((node) => draft.get(`node/${id}/${node.id}`) !== undefined);
  const scope = scopeOf(draft, id);
  if (scope.type !== 'graph' || scope.live > 0) return;
  if (!hasStarted) {
    for (const node of graph.nodes) readyNode(context, id, node.index);
    return;
  }
  const counted = draft.get(`node/${id}/`);
  if (scope.caller !== undefined) return leave(context, { id, graph, scope }) as undefined;
  if (counted === undefined) {
    readyActivation(context, { scope: id, node: -1, part: 'close', from: `pending/${id}/${id}/` });
    return;
  }
  finishRun(context, { status: 'completed', ...(counted.last === undefined ? {} : { output: counted.last }) });
}
