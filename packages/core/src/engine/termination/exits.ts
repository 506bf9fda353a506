import type { ScopeId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import type { StopReason } from '../records/stop.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { nextActivation } from '../state/decision-context.ts';
import { terminationOf } from '../state/enclosing-terminations.ts';
import { activationsOf, runOf } from '../state/lookup.ts';
import { disarmTermination } from './alarms.ts';
import { stopMessages } from './stop-messages.ts';

/*
 * Exit nodes: the nodes under `exit_to` of the termination of a graph. When nothing else in the stopped graph is executing
 * any more, they are executed one after the other, in the order in which they are written, so the result of the graph
 * does not depend on which of them is faster. Their activations have the part `exit`: they read their input from a list
 * of its own, because the nodes' inboxes are for a resumed run, and they have no routes.
 */

/** Starts the next exit node. Returns false if none is left, so that the graph can end. */
export function startNextExit(context: DecisionContext, scope: ScopeId, stop: StopReason): boolean {
  const { draft, plan, emit, nonce } = context;
  const termination = terminationOf(plan, draft, { scope, name: '' });
  const record = draft.get(`termination/${scope}/`);
  if (termination === undefined || record === undefined || termination.exitTo.length === 0) return false;
  if (record.exits === undefined) {
    disarmTermination(context, { scope, name: '' });
    const messages = stopMessages(context, { scope, name: '', since: record.since }, { termination, stop });
    emit({ type: 'graph.exiting', scope, messages, bodies: 1 });
  }
  const node = termination.exitTo[record.exits ?? 0];
  if (node === undefined) return false;
  emit({
    type: 'activation.ready',
    activation: nextActivation(draft),
    scope,
    node,
    part: 'exit',
    token: nonce,
    from: `exits/${scope}`,
  });
  return true;
}

/** Returns whether the exit nodes of the run have been started or skipped. */
export const isExiting = ({ draft }: Pick<DecisionContext, 'draft'>): boolean =>
  draft.get(`termination/${rootScope}/`)?.exits !== undefined;

/** Lets a run that is being stopped end without its exit nodes. */
export function skipExits({ draft, plan, emit }: DecisionContext): void {
  if (runOf(draft).status !== 'stopping') return;
  for (const [activation, { part, scope }] of activationsOf(draft))
    if (part === 'exit' && scope === rootScope) emit({ type: 'activation.dropped', activation });
  if ((terminationOf(plan, draft, { scope: rootScope, name: '' })?.exitTo.length ?? 0) > 0)
    emit({ type: 'graph.exiting', scope: rootScope, messages: [], skipped: true });
}
