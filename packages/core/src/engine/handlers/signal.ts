import type { Command } from '../commands/command.ts';
import type { Refusal } from '../commands/refusal.ts';
import { refuse } from '../commands/refusal.ts';
import { advanceAll } from '../scopes/advance.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { activeTerminations, terminationOf } from '../state/enclosing-terminations.ts';
import { runOf } from '../state/lookup.ts';
import { stepTermination } from '../termination/step-terminations.ts';

/**
 * Delivers a signal to the terminations that wait for it. Refused if none waits; signals are never stored for later.
 */
export function signal(
  context: DecisionContext,
  { name, note }: Extract<Command, { type: 'signal' }>,
): Refusal | undefined {
  const { draft, plan } = context;
  const { status } = runOf(draft);
  if (status !== 'running' && status !== 'paused')
    return refuse('RUN_NOT_ACTIVE', `The run is ${status}. Only a running or paused run accepts signals.`);
  let isKnown = false;
  for (const at of activeTerminations(plan, draft)) {
    const observations = (terminationOf(plan, draft, at)?.leaves ?? []).flatMap(({ path, config, definition }) => {
      const observed = definition.onSignal?.(config, note === undefined ? { name } : { name, note });
      return observed === undefined ? [] : [[path, observed] as const];
    });
    if (observations.length === 0) continue;
    isKnown = true;
    stepTermination(context, at, { leaves: Object.fromEntries(observations) });
  }
  if (!isKnown) return refuse('SIGNAL_UNKNOWN', `No termination of the run waits for the signal "${name}" now.`);
  advanceAll(context);
  return undefined;
}
