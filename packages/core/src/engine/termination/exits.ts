import type { ScopeId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import type { GraphPlan } from '../../plan/plan.ts';
import type { PlanTermination } from '../../plan/termination.ts';
import type { ScopeRef, StopReason } from '../records/stop.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { readyActivation } from '../state/decision-context.ts';
import { terminationOf } from '../state/enclosing-terminations.ts';
import { activationsOf, graphOf, runOf, scopeOf } from '../state/lookup.ts';
import type { StateView } from '../state/state.ts';
import { disarmTermination } from './alarms.ts';

/*
 * Exit nodes: the nodes under `exit_to` of the termination of a graph. When nothing else in the stopped graph is executing
 * any more, they are executed one after the other, in the order in which they are written, so the result of the graph
 * does not depend on which of them is faster. Their activations have the part `exit`: they read their input from a list
 * of its own, because the nodes' inboxes are for a resumed run, and they have no routes.
 */

/** Starts the next exit node. Returns false if none is left, so that the graph can end. */
export function startNextExit(context: DecisionContext, scope: ScopeId, stop: StopReason): boolean {
  const { draft, plan, emit } = context;
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
  readyActivation(context, { scope, node, part: 'exit', from: `exits/${scope}` });
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

/**
 * Returns the messages for the nodes after a scope: the stop message, and then the last message of the scope, so that a
 * node that forwards its last message forwards that one.
 */
export function stopMessages(
  { draft, plan, writeMessage }: DecisionContext,
  { scope, name, since }: ScopeRef & { readonly since: number },
  { termination, stop }: { readonly termination: PlanTermination; readonly stop: StopReason },
): readonly MessageRef[] {
  const content = termination.message ?? stop.text;
  const metadata = { message_kind: 'stop', stop_reason: stop.text, stop_code: stop.code };
  const graph = graphOf(plan, scopeOf(draft, scope));
  const stopMessage = { ...writeMessage({ role: 'user', content, metadata }), source: name === '' ? graph.id : name };
  const members = graph.scopes.find(({ id }) => id === name)?.members;
  const { carryLast } = termination;
  const carries = (node: number) => (carryLast === true ? (members?.has(node) ?? true) : carryLast === node);
  const last = lastMessageOf(draft, { graph, frame: scope }, carries);
  return last === undefined || numberOf(last) < since ? [stopMessage] : [stopMessage, { ...last, role: 'user' }];
}

const numberOf = ({ id }: MessageRef): number => Number(id.slice(1));

/** Returns the last message of certain nodes in a frame: the one with the highest number. */
export function lastMessageOf(
  state: StateView,
  { graph, frame }: { readonly graph: GraphPlan; readonly frame: ScopeId },
  by: (node: number) => boolean = () => true,
): MessageRef | undefined {
  const lasts = graph.nodes.flatMap(({ index, id }) => {
    const last = by(index) ? state.get(`node/${frame}/${id}`)?.last : undefined;
    return last === undefined ? [] : [last];
  });
  return lasts.sort((a, b) => numberOf(b) - numberOf(a))[0];
}
