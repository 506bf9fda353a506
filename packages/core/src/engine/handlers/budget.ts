import type { Amount } from '../../model/budget.ts';
import { formatDollars } from '../../model/budget.ts';
import type { ActivationId } from '../../model/ids.ts';
import type { Wait } from '../../model/outcome.ts';
import type { Command } from '../commands/command.ts';
import type { Refusal } from '../commands/refusal.ts';
import { refuse } from '../commands/refusal.ts';
import { budgetQueueKey } from '../evolve/evolve-budget.ts';
import type { BudgetRecord } from '../records/budget-record.ts';
import { addAmounts, budgetCapacityFor, budgetExceededText, zeroAmount } from '../records/budget-record.ts';
import { finishIfIdle } from '../scopes/advance.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { liveActivation } from '../state/live.ts';
import { runOf } from '../state/lookup.ts';
import type { Draft } from '../state/state.ts';

/*
 * Activations and money. A call that fits what is left, but for what is set aside for others, waits in a line; whenever
 * something that was set aside becomes free, as many of the line are woken as it is enough for. As there is always a
 * call under way that somebody waits for, nobody waits for ever. A call that no longer fits at all stops the run, or
 * has a person asked.
 */

/** Whether a call of an activation may be made now; when not, the activation waits, or the run is stopped. */
export function admitModelCall(context: DecisionContext, activation: ActivationId, need: Amount): boolean {
  const budget = context.draft.get('budget');
  const room = budget === undefined ? 'now' : budgetCapacityFor(budget, need);
  if (room === 'now' || budget === undefined) return true;
  const asked = isAsked(context.draft);
  if (room === 'never' && budget.limit.ask === true && !asked && runOf(context.draft).status === 'running') {
    context.emit({ type: 'activation.suspended', activation, wait: questionOf(budget, need) });
    return false;
  }
  if (isLast(context, activation)) {
    const message = `${budgetExceededText(budget, need)} The run is being stopped, and what comes last in it waits for nothing.`;
    context.emit({ type: 'activation.failed', activation, error: { code: 'EXIT_WAITS', message } });
  } else context.emit({ type: 'activation.short', activation, need });
  if (room === 'never' && !asked) stopShort(context, budgetExceededText(budget, need));
  finishIfIdle(context);
  return false;
}

/** Whether nothing but this goes on in the run, so that nobody would free any money. */
const isLast = ({ draft }: DecisionContext, activation: ActivationId): boolean =>
  runOf(draft).status === 'stopping' && draft.get(`activation/${activation}`)?.part === 'exit';

/** Wakes those at the head of the line for whom there is room now. */
export function wakeFundedActivations(context: DecisionContext): void {
  const { draft, emit, nonce } = context;
  const budget = draft.get('budget');
  if (budget === undefined || runOf(draft).status !== 'running' || isAsked(draft)) return;
  let promised = budget.reserved;
  for (const activation of draft.list(budgetQueueKey)) {
    const need = draft.get(`activation/${activation}`)?.short;
    if (need === undefined) throw new Error(`activation ${activation} is in line and not short of anything`);
    const room = budgetCapacityFor({ ...budget, reserved: promised }, need);
    if (room === 'later') return;
    // What does not fit at all is found out, and told, by whoever wants it.
    emit({ type: 'activation.funded', activation, token: nonce });
    if (room === 'never') return;
    promised = addAmounts(promised, need);
  }
}

/** Takes what somebody decided who was asked for more. */
export function answerBudget(
  context: DecisionContext,
  command: Extract<Command, { type: 'budget' }>,
): Refusal | undefined {
  const { draft, emit } = context;
  const live = liveActivation(draft, command);
  if (live.type === 'refused') return live;
  const budget = draft.get('budget');
  if (budget === undefined || live.record.wait?.kind !== 'budget')
    return refuse('TASK_UNKNOWN', `Activation ${command.activation} has not asked for more.`);
  const { answer } = command;
  emit({ type: 'run.budgeted', budget: answer === 'stop' ? budget.limit : { ...budget.limit, ...answer } });
  if (answer !== 'stop') {
    wakeFundedActivations(context);
    return undefined;
  }
  emit({ type: 'activation.short', activation: command.activation, need: zeroAmount });
  stopShort(context, 'A person was asked whether the run may spend more, and said to stop.');
  finishIfIdle(context);
  return undefined;
}

/** Whether a person is being asked for more. */
function isAsked(draft: Draft): boolean {
  const asking = draft.get('budget')?.asking;
  return asking !== undefined && draft.get(`activation/${asking}`)?.wait?.kind === 'budget';
}

const questionOf = (budget: BudgetRecord, need: Amount): Wait => ({
  kind: 'budget',
  prompt: `${budgetExceededText(budget, need)} How much may this run spend in all? Write ${examplesFor(budget, need)}, or stop.`,
  input: '',
});

/** Answers that would be enough for this call and a few like it. */
function examplesFor({ limit, spent }: BudgetRecord, need: Amount): string {
  const examples = [
    ...(limit.tokens === undefined ? [] : [`${spent.tokens + 10 * need.tokens} tokens`]),
    ...(limit.microUsd === undefined ? [] : [`${formatDollars(spent.microUsd + 10 * need.microUsd)}`]),
  ];
  return examples.join(' ');
}

/** Lets nothing new start; what is at work may finish as far as its money goes. */
function stopShort({ draft, emit }: DecisionContext, text: string): void {
  if (runOf(draft).status !== 'running') return;
  emit({ type: 'run.stopping', stop: { code: 'budget', text }, inFlight: 'drain' });
}
