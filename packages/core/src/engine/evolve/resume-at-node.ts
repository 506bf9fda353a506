import type { ScopeId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import type { GraphPlan } from '../../plan/plan.ts';
import type { CycleScope } from '../records/scope-record.ts';
import type { Fold } from '../state/fold.ts';
import { appendToInbox } from '../state/inbox.ts';
import { graphOf, nodeOf, scopeOf } from '../state/lookup.ts';
import type { Draft } from '../state/state.ts';
import { itemRecordOf } from './scopes/evolve-graph.ts';

/*
 * A person names the node at which the run resumes, although no edge leads to it. In a cycle that is being executed, the
 * node is due in a new sweep. Elsewhere, its item is due, and items after it wait for it again if it was completed before.
 */

/** Makes a node of the root graph due, and delivers these messages to it. */
export function resumeAtNode({ plan, draft }: Fold, node: number, messages: readonly MessageRef[]): void {
  const graph = graphOf(plan, scopeOf(draft, rootScope));
  for (const message of messages) appendToInbox(draft, { frame: rootScope, node: nodeOf(graph, node).id }, message);
  const enclosing = enclosingCycle(draft, node);
  if (enclosing === undefined) return resumeAtItem(draft, graph, node);
  const [id, cycle] = enclosing;
  // In a cycle in which nothing has started yet, the first sweep stays as it is.
  const sweep = cycle.level === 0 ? {} : { iteration: cycle.iteration + 1, roots: [cycle.entry, node], level: 0 };
  draft.set(`scope/${id}`, { ...cycle, ...sweep, told: node });
}

/** Returns the innermost cycle of the root graph that is being executed and contains a node. */
function enclosingCycle(draft: Draft, node: number): readonly [ScopeId, CycleScope] | undefined {
  const cycles = [...draft.keys('scope/')].flatMap((key) => {
    const id = key.slice('scope/'.length) as ScopeId; // the key's form
    const scope = scopeOf(draft, id);
    const containsNode = scope.type === 'cycle' && scope.frame === rootScope && scope.members.includes(node);
    return containsNode ? [[id, scope] as const] : [];
  });
  return cycles.sort(([, a], [, b]) => a.members.length - b.members.length)[0];
}

function resumeAtItem(draft: Draft, graph: GraphPlan, node: number): void {
  const index = graph.itemOf[node] ?? 0;
  const wasSettled = isSettled(draft, graph, index);
  const record = itemRecordOf(draft, { id: rootScope, graph }, index);
  draft.set(`item/${rootScope}/${index}`, { ...record, triggered: [node], told: true });
  if (!wasSettled) return;
  reopen(draft, graph, index);
  draft.append(`due/${rootScope}`, [index]);
}

const isDue = (draft: Draft, item: number): boolean => draft.list(`due/${rootScope}`).includes(item);

/** Returns whether an item was started or skipped: it has no record and is not due, although an item before it is settled. */
function isSettled(draft: Draft, graph: GraphPlan, item: number): boolean {
  if (draft.get(`item/${rootScope}/${item}`) !== undefined || isDue(draft, item)) return false;
  const before = graph.items.filter(({ successors }) => successors.includes(item));
  return before.length === 0 || before.some(({ index }) => isSettled(draft, graph, index));
}

/** Makes the items after a settled item wait for it again. */
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
