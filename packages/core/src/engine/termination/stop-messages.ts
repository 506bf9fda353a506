import type { ScopeId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import type { GraphPlan } from '../../plan/plan.ts';
import type { PlanTermination } from '../../plan/termination.ts';
import type { ScopeRef, StopReason } from '../records/stop.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { graphOf, scopeOf } from '../state/lookup.ts';
import type { StateView } from '../state/state.ts';

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
