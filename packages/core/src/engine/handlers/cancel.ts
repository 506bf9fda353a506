import type { Command } from '../commands/command.ts';
import type { Refusal } from '../commands/refusal.ts';
import type { DecisionContext } from '../state/decision-context.ts';

/** Ends the run at once; results of activations that are executing will be refused. */
export function cancel({ emit }: DecisionContext, command: Extract<Command, { type: 'cancel' }>): Refusal | undefined {
  emit({ type: 'run.finished', status: 'cancelled', error: { code: 'CANCELLED', message: command.reason } });
  return undefined;
}
