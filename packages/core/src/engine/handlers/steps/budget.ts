import type { Wait } from '../../../definitions/outcome.ts';
import type { ActivationId } from '../../../model/ids.ts';
import type { Amount, BudgetAnswer } from '../../../model/usage/budget.ts';
import { addAmounts, formatDollars, zeroAmount } from '../../../model/usage/budget.ts';
import { budgetQueueKey } from '../../evolve/evolve-budget.ts';
import type { BudgetRecord } from '../../records/records.ts';
import { budgetCapacityFor, budgetExceededText } from '../../records/records.ts';
import { finishIfIdle } from '../../scopes/advance.ts';
import type { DecisionContext, Refusal } from '../../state/decision-context.ts';
import { refuse, suspendActivation } from '../../state/decision-context.ts';
import { liveActivation } from '../../state/live.ts';
import { runOf } from '../../state/lookup.ts';
import type { Draft } from '../../state/state.ts';

/*
 * Model calls and the budget. A call that would fit if reservations of other calls were released waits in a queue;
 * whenever a reservation is released, as many activations at the head of the queue are woken as now have room. A queue
 * exists only while a call holds a reservation, so no activation waits for ever. A call that can no longer fit stops the
 * run, or makes the run ask a person.
 */

/** The answer of a person to an activation that asked for a larger budget. */
interface BudgetCommand {
  readonly type: 'budget';
  readonly activation: ActivationId;
  readonly token: string;
  readonly answer: BudgetAnswer;
}

/** Returns true if an activation may make a call now; otherwise the activation waits, or the run is stopped. */
export function admitModelCall(context: DecisionContext, activation: ActivationId, need: Amount): boolean {
  const budget = context.draft.get('budget');
  const capacity = budget === undefined ? 'now' : budgetCapacityFor(budget, need);
  if (capacity === 'now' || budget === undefined) return true;
  const asked = isAskingForBudget(context.draft);
  if (capacity === 'never' && budget.limit.ask === true && !asked && runOf(context.draft).status === 'running') {
    suspendActivation(context, activation, questionOf(budget, need));
    return false;
  }
  if (isLast(context, activation)) {
    const message = `${budgetExceededText(budget, need)} The run is stopping, and its last node does not wait.`;
    context.emit({ type: 'activation.failed', activation, error: { code: 'EXIT_WAITS', message } });
  } else context.emit({ type: 'activation.short', activation, need });
  if (capacity === 'never' && !asked) stopForBudget(context, budgetExceededText(budget, need));
  finishIfIdle(context);
  return false;
}

/** Returns whether an activation is the last one of a run that stops, so that no other call can release room in the budget. */
const isLast = ({ draft }: DecisionContext, activation: ActivationId): boolean =>
  runOf(draft).status === 'stopping' && draft.get(`activation/${activation}`)?.part === 'exit';

/** Wakes the activations at the head of the queue for which the budget has room now. */
export function wakeFundedActivations(context: DecisionContext): void {
  const { draft, emit, nonce } = context;
  const budget = draft.get('budget');
  if (budget === undefined || runOf(draft).status !== 'running' || isAskingForBudget(draft)) return;
  let reserved = budget.reserved;
  for (const activation of draft.list(budgetQueueKey)) {
    const need = draft.get(`activation/${activation}`)?.short;
    if (need === undefined) throw new Error(`activation ${activation} is in line and not short of anything`);
    const capacity = budgetCapacityFor({ ...budget, reserved: reserved }, need);
    if (capacity === 'later') return;
    // A call that can never fit wakes its activation, which then stops the run or asks a person.
    emit({ type: 'activation.funded', activation, token: nonce });
    if (capacity === 'never') return;
    reserved = addAmounts(reserved, need);
  }
}

/** Applies the answer of a person who was asked for a larger budget. */
export function answerBudget(context: DecisionContext, command: BudgetCommand): Refusal | undefined {
  const { draft, emit } = context;
  const live = liveActivation(draft, command);
  if (live.type === 'refused') return live;
  const budget = draft.get('budget');
  if (budget === undefined || live.record.wait?.kind !== 'budget')
    return refuse('TASK_UNKNOWN', `Activation ${command.activation} has not asked for a larger budget.`);
  const { answer } = command;
  emit({ type: 'run.budgeted', budget: answer === 'stop' ? budget.limit : { ...budget.limit, ...answer } });
  if (answer !== 'stop') {
    wakeFundedActivations(context);
    return undefined;
  }
  emit({ type: 'activation.short', activation: command.activation, need: zeroAmount });
  stopForBudget(context, 'A person was asked for a larger budget and decided to stop the run.');
  finishIfIdle(context);
  return undefined;
}

/** Returns whether a person is being asked for a larger budget. */
function isAskingForBudget(draft: Draft): boolean {
  const asking = draft.get('budget')?.asking;
  return asking !== undefined && draft.get(`activation/${asking}`)?.wait?.kind === 'budget';
}

const questionOf = (budget: BudgetRecord, need: Amount): Wait => ({
  kind: 'budget',
  prompt: `${budgetExceededText(budget, need)} How much may this run spend in all? Write ${examplesFor(budget, need)}, or stop.`,
  input: '',
});

/** Returns example answers that would be enough for this call and about ten like it. */
function examplesFor({ limit, spent }: BudgetRecord, need: Amount): string {
  const examples = [
    ...(limit.tokens === undefined ? [] : [`${spent.tokens + 10 * need.tokens} tokens`]),
    ...(limit.microUsd === undefined ? [] : [`${formatDollars(spent.microUsd + 10 * need.microUsd)}`]),
  ];
  return examples.join(' ');
}

/** Stops the run because of its budget: nothing new is started, and executing activations may finish. */
function stopForBudget({ draft, emit }: DecisionContext, text: string): void {
  if (runOf(draft).status !== 'running') return;
  emit({ type: 'run.stopping', stop: { code: 'budget', text }, inFlight: 'drain' });
}
