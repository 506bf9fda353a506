import type { DeltaItem, EnclosingTermination, Message, ScopeObservation } from '@millrace/core';
import { observeLeaves, toDeltaMessage } from '@millrace/core';
import type { ActivationAttempt } from '../context/activation-attempt.ts';
import type { ActivationContext } from '../context/activation-context.ts';
import type { Completion, ExecutionResult } from '../execute/execution-result.ts';

/** Returns whether there are terminations around an activation. */
export const isObserved = ({ context }: ActivationAttempt): boolean => context.terminations.length > 0;

/** Returns what the terminations around an activation see in its result; undefined when they see none. */
export async function observe(
  attempt: ActivationAttempt,
  executed: ExecutionResult,
): Promise<readonly ScopeObservation[] | undefined> {
  const { context } = attempt;
  if (executed.type !== 'completed') return undefined;
  return observeTerminations(context, executed, { terminations: context.terminations, signal: attempt.signal });
}

/** Lets these terminations observe a result. */
export async function observeTerminations(
  context: ActivationContext,
  executed: Completion,
  { terminations, signal }: { readonly terminations: readonly EnclosingTermination[]; readonly signal: AbortSignal },
): Promise<readonly ScopeObservation[]> {
  const { activity, closes } = executed;
  const messages = newMessages(context, executed);
  const turn = context.node?.speaks === true && closes !== 'units';
  const observed: ScopeObservation[] = [];
  for (const { scope, name, termination, cells, source, nested } of terminations) {
    const items: DeltaItem[] = [
      ...activity.events.map((event): DeltaItem => ({ type: 'event', source, ...event })),
      ...messages.map(
        (message): DeltaItem => ({
          ...toDeltaMessage(message, source),
          ...(closes === 'graph' ? { returned: true as const } : {}),
        }),
      ),
    ];
    const from = closes === 'units' ? '' : source;
    const delta = { items, tokens: activity.tokens, source: from, turn, task: false, nested };
    observed.push({ scope, name, leaves: await observeLeaves(termination, delta, { cells, signal }) });
  }
  return observed;
}

/** Returns the messages that the activation itself says; those that it only forwards were said before. */
function newMessages({ input, node }: ActivationContext, { outputs, closes }: Completion): readonly Message[] {
  if (closes === 'units') return [];
  if (closes === 'graph') return outputs.slice(-1);
  const stored = new Set(input);
  // Nodes that read and write memory add to messages of others.
  const isForwarded = ({ source }: Message) => node?.forwards === true && source !== node.id;
  return outputs.filter((one) => !stored.has(one) && !isForwarded(one));
}
