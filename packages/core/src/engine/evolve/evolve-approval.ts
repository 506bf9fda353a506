import type { ActivationId } from '../../model/ids.ts';
import type { EventOf } from '../records/event.ts';
import type { ApprovalRecord } from '../records/records.ts';
import type { Draft, StateView } from '../state/state.ts';

/** Returns the calls of tools that an activation has asked people about, in the order of their places. */
export const approvalsOf = (state: StateView, activation: ActivationId): readonly ApprovalRecord[] =>
  state.get(`approvals/${activation}`) ?? [];

/** Returns the calls of an activation on which nobody has decided. */
export const openApprovals = (state: StateView, activation: ActivationId): readonly ApprovalRecord[] =>
  approvalsOf(state, activation).filter(({ decided }) => decided === undefined);

/** Records a question about a call, or a decision on one. A call that is asked about again replaces the earlier one of its place. */
export function evolveApproval(draft: Draft, event: EventOf<'tool.asked' | 'tool.decided'>): void {
  const { activation, bodies: _none, ...fields } = event;
  const approvals = approvalsOf(draft, activation);
  if (fields.type === 'tool.asked') {
    const { type: _type, ...call } = fields;
    const others = approvals.filter(({ place }) => place !== call.place);
    keep(
      draft,
      activation,
      [...others, call].sort((one, other) => one.place - other.place),
    );
    return;
  }
  const { type: _type, place, question: _number, ...decided } = fields;
  keep(
    draft,
    activation,
    // Nothing of the call is needed after that but its hash; the journal has all of it.
    approvals.map((one) => (one.place === place ? { ...one, arguments: '', parameters: '', decided } : one)),
  );
}

/** Records that a step makes an approved call. */
export function useApproval(draft: Draft, { activation, step, approval }: EventOf<'step.started'>): void {
  if (approval === undefined) return;
  keep(
    draft,
    activation,
    approvalsOf(draft, activation).map((one) => (one.decided?.hash === approval ? { ...one, used: step } : one)),
  );
}

/** Marks the approvals of calls that failed, from a step on: the calls are made again, for which people are asked again. */
export function spendApprovals(draft: Draft, activation: ActivationId, from: number): void {
  const approvals = approvalsOf(draft, activation);
  const isSpent = ({ used }: ApprovalRecord) => used !== undefined && used >= from;
  if (!approvals.some(isSpent)) return;
  keep(
    draft,
    activation,
    approvals.map((one) => (isSpent(one) ? { ...one, spent: true } : one)),
  );
}

/** Withdraws the questions of an activation that is woken without decisions: it asks again where it still has to. */
export function withdrawApprovals(draft: Draft, activation: ActivationId): void {
  const approvals = approvalsOf(draft, activation);
  const closed = approvals.filter(({ decided }) => decided !== undefined);
  if (closed.length < approvals.length) keep(draft, activation, closed);
}

/** Moves the times at which calls of an activation count as rejected. */
export function moveApprovals(draft: Draft, activation: ActivationId, byMs: number): void {
  const approvals = approvalsOf(draft, activation);
  if (approvals.every(({ until }) => until === undefined)) return;
  keep(
    draft,
    activation,
    approvals.map((one) => (one.until === undefined ? one : { ...one, until: one.until + byMs })),
  );
}

const keep = (draft: Draft, activation: ActivationId, approvals: readonly ApprovalRecord[]): void =>
  draft.set(`approvals/${activation}`, approvals);
