import type { MessageRef } from '../../model/messages/message.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { Event } from '../records/event.ts';
import type { ActivationRecord } from '../records/records.ts';
import type { Fold } from '../state/fold.ts';
import { appendToInbox, inboxOf } from '../state/inbox.ts';
import { dropMessages } from '../state/joined-messages.ts';
import { isWaiting } from '../state/live.ts';
import { locateActivation, runOf, scopeOf } from '../state/lookup.ts';
import type { Draft, StateView } from '../state/state.ts';
import { lockWorkspace, workspaceFor } from '../state/workspace-lock.ts';
import { waitingBy } from './evolve-activation.ts';
import { chargeLostStep } from './evolve-budget.ts';
import { dropStoredUnits } from './scopes/evolve-fan-out.ts';
import { unitsOf } from './scopes/evolve-join.ts';

type ForkEvent = Extract<Event, { type: 'run.forked' }>;

/**
 * Resets the activation at which a run is forked, as if no worker had begun it; a given output replaces its execution.
 */
export function resetForkedActivation(fold: Fold, event: ForkEvent): void {
  const { plan, draft, at } = fold;
  const { activation, token, output, input, held } = event;
  const record = draft.get(`activation/${activation}`);
  if (record === undefined) throw new Error(`activation ${activation} is not live`);
  const {
    wait: _question,
    suspensions: _asked,
    answer: _told,
    output: _given,
    steps = 0,
    startedAt: _worker,
    failed,
    stored: _units,
    ...rest
  } = record;
  for (let step = 0; step < steps; step++) {
    chargeLostStep(draft, `step/${activation}/${step}`);
    draft.delete(`step/${activation}/${step}`);
  }
  withdrawQuestion(draft, activation);
  draft.delete(`approvals/${activation}`);
  // Another workflow may cut its input into other units.
  dropStoredUnits(draft, record);
  // Files that the activation wrote are its own so far; those of a given output stay.
  if (output === undefined) draft.trim(`changes/${activation}`, 0);
  if (input !== undefined) replaceInput(fold, record, input);
  const run = runOf(draft);
  draft.set('run', {
    ...run,
    live: failed ? run.live + 1 : run.live,
    ...(isWaiting(record) ? waitingBy(run, record, -1) : {}),
  });
  draft.set(`activation/${activation}`, {
    ...rest,
    // A held activation is not woken before it is admitted, which gives it a token.
    token: record.held || held ? record.token : token,
    readyAt: at,
    attempt: 0,
    ...(output === undefined ? {} : { output }),
    ...(held ? { held } : {}),
  });
  const frame = isWaiting(record) ? workspaceFor(plan, draft, record) : undefined;
  if (frame !== undefined) lockWorkspace(draft, { frame, activation, held: held === true });
}

function withdrawQuestion(draft: Draft, activation: ForkEvent['activation']): void {
  const budget = draft.get('budget');
  if (budget?.asking !== activation) return;
  const { asking: _question, ...rest } = budget;
  draft.set('budget', rest);
}

/** Records the origin of a fork. The replay, the webhook, the batch and the expiry of the original run no longer apply. */
export function recordFork(draft: Draft, { of, activation, told, plan, definition, tags, replay }: ForkEvent): void {
  const origin = draft.get('origin');
  if (origin === undefined) return;
  const {
    replay: _past,
    webhook: _one,
    batch: _row,
    definition: text,
    tags: inherited,
    fork: _before,
    expiresAt: _expiry,
    ...rest
  } = origin;
  draft.set('origin', {
    ...rest,
    ...(told ? { told } : {}),
    ...(tags === undefined ? omitUndefined({ tags: inherited }) : tags.length === 0 ? {} : { tags }),
    ...omitUndefined({ definition: plan === undefined ? text : definition, replay }),
    // A run that repeats a fork is a replay of it.
    ...(replay === undefined ? { fork: { run: of, activation } } : {}),
  });
}

/** Returns the reason for which the input of an activation cannot be replaced; undefined when it can. */
export function inputObstacle(state: StateView, { scope: id, part, from, unit }: ActivationRecord): string | undefined {
  if (part === 'join') return 'it puts the results of units in order';
  if (from !== undefined) return 'its input is what the activations inside it have put out';
  const scope = scopeOf(state, id);
  if (unit !== undefined && scope.type === 'tree') return 'it reduces the outputs of a group';
  return undefined;
}

/** Replaces the input of an activation that has not begun: the messages in its inbox, or the item of its unit. */
function replaceInput(fold: Fold, record: ActivationRecord, input: readonly MessageRef[]): void {
  const { plan, draft } = fold;
  const { scope, frame, node } = locateActivation(plan, draft, record);
  if (record.unit !== undefined && scope.type === 'map') {
    const key = unitsOf(record.scope, scope);
    const units = [...draft.list(key)];
    for (const message of input.slice(0, 1)) units[record.unit] = message;
    draft.trim(key, 0);
    draft.append(key, units);
    return;
  }
  if (node === undefined) return;
  const isSplit = inboxOf(draft, frame, node.id).some(({ dynamic }) => dynamic === true);
  dropMessages(draft, `kept/${frame}/${node.id}`);
  dropMessages(draft, `recent/${frame}/${node.id}`);
  for (const message of input)
    appendToInbox(draft, { frame, node: node.id }, isSplit ? { ...message, dynamic: true } : message);
}
