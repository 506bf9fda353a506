import type { ScopeId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import type { MessageRef } from '../../model/message.ts';
import type { GraphPlan } from '../../plan/plan.ts';
import type { CycleScope } from '../records/records.ts';
import { appendToInbox } from '../state/inbox.ts';
import { graphOf, nodeOf, scopeOf } from '../state/lookup.ts';
import type { Draft } from '../state/state.ts';
import { itemRecordOf } from './evolve-graph.ts';
import type { Fold } from './fold.ts';

/*
 * A person names the node that goes on, although no edge leads to it. In a cycle that goes on around it, the node is due
 * in a new sweep. Elsewhere its item is due, and what comes after it waits for it once more if it has been through already.
 */

/** Makes a node of the root graph due, with these messages. */
export function resumeAtNode({ plan, draft }: Fold, node: number, messages: readonly MessageRef[]): void {
  const graph = graphOf(plan, scopeOf(draft, rootScope));
  for (const message of messages) appendToInbox(draft, { frame: rootScope, node: nodeOf(graph, node).id }, message);
  const enclosing = cycleAround(draft, node);
  if (enclosing === undefined) return goOnAtItem(draft, graph, node);
  const [id, cycle] = enclosing;
  // A cycle in which nothing has begun is swept as it would have been.
  const sweep = cycle.level === 0 ? {} : { iteration: cycle.iteration + 1, roots: [cycle.entry, node], level: 0 };
  draft.set(`scope/${id}`, { ...cycle, ...sweep, told: node });
}

/** The innermost cycle of the root graph that goes on around a node. */
function cycleAround(draft: Draft, node: number): readonly [ScopeId, CycleScope] | undefined {
  const cycles = [...draft.keys('scope/')].flatMap((key) => {
    const id = key.slice('scope/'.length) as ScopeId; // the key's form
    const scope = scopeOf(draft, id);
    const isAround = scope.type === 'cycle' && scope.frame === rootScope && scope.members.includes(node);
    return isAround ? [[id, scope] as const] : [];
  });
  return cycles.sort(([, a], [, b]) => a.members.length - b.members.length)[0];
}

function goOnAtItem(draft: Draft, graph: GraphPlan, node: number): void {
  const index = graph.itemOf[node] ?? 0;
  const isOver = isThrough(draft, graph, index);
  const record = itemRecordOf(draft, { id: rootScope, graph }, index);
  draft.set(`item/${rootScope}/${index}`, { ...record, triggered: [node], told: true });
  if (!isOver) return;
  reopen(draft, graph, index);
  draft.append(`due/${rootScope}`, [index]);
}

const isDue = (draft: Draft, item: number): boolean => draft.list(`due/${rootScope}`).includes(item);

/** Whether an item has been started or skipped: nothing is kept of it, although something before it is through. */
function isThrough(draft: Draft, graph: GraphPlan, item: number): boolean {
  if (draft.get(`item/${rootScope}/${item}`) !== undefined || isDue(draft, item)) return false;
  const before = graph.items.filter(({ successors }) => successors.includes(item));
  return before.length === 0 || before.some(({ index }) => isThrough(draft, graph, index));
}

/** What comes after an item that has been through waits for it once more. */
function reopen(draft: Draft, graph: GraphPlan, item: number): void {
  for (const successor of graph.items[item]?.successors ?? []) {
    const record = draft.get(`item/${rootScope}/${successor}`);
    if (isDue(draft, successor)) {
      const others = draft.list(`due/${rootScope}`).filter((one) => one !== successor);
      draft.trim(`due/${rootScope}`, 0);
      draft.append(`due/${rootScope}`, others);
    }
    const { remaining, triggered } = record ?? { remaining: 0, triggered: [] };
    draft.set(`item/${rootScope}/${successor}`, { remaining: remaining + 1, triggered });
    if (record === undefined) reopen(draft, graph, successor);
  }
}
