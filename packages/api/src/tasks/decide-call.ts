import { questionId, RequestError } from '@millrace/core';
import type { CallDecision, CallQuestion, Task, TenantRuntime } from '@millrace/runtime';
import type { z } from 'zod';
import type { Context } from '../operation/context.ts';
import type { Answer } from '../schemas/task.ts';

/** The call of an activation of a run, by its place. */
interface CallPlace extends CallQuestion {
  readonly run: string;
}

type ApprovalTask = Task & { readonly call: NonNullable<Task['call']> };

/** Returns whether a question is about the approval of a call of a tool. */
export const asksForApproval = (task: Task | undefined): task is ApprovalTask => task?.call !== undefined;

/** Returns the decision that an answer is, with its author. Throws RequestError, `ANSWER_INVALID`, for one that is none. */
export async function decisionIn(
  task: ApprovalTask,
  { attachments, assignee, ...given }: z.infer<typeof Answer>,
  callDecision: Context['callDecision'],
): Promise<CallDecision> {
  if (attachments.length > 0)
    throw new RequestError(
      'ANSWER_INVALID',
      `Question ${task.id} asks for the approval of a call, which takes no files.`,
    );
  return { ...(await callDecision(task, given)), by: assignee };
}

/** Decides on a call. Throws RequestError, `TASK_ANSWERED` or `APPROVAL_EXPIRED` for any decision after the first. */
export async function decideCall(tenant: TenantRuntime, place: CallPlace, decision: CallDecision): Promise<void> {
  const { run, ...question } = place;
  try {
    await tenant.run(run).decide(question, decision);
  } catch (error) {
    const isClosed = error instanceof RequestError && ['TASK_UNKNOWN', 'RUN_ENDED'].includes(error.code);
    if (isClosed) await refuseClosedCall(tenant, place);
    throw error;
  }
}

/** Throws RequestError for a decision on a call that nobody is asked about any more, or never was. */
export async function refuseClosedCall(tenant: TenantRuntime, { run, ...question }: CallPlace): Promise<never> {
  const past = await findDecision(tenant, run, question);
  if (past !== undefined) throw closedBy(past, question);
  throw new RequestError('TASK_UNKNOWN', `There is no open question ${questionId(run, question)}.`);
}

/** Returns the error for a decision on a call that has been decided on. */
function closedBy({ decision, by }: PastDecision, { activation, place }: CallQuestion): RequestError {
  const what = `call ${place} of activation ${activation}`;
  if (decision === 'expire')
    return new RequestError('APPROVAL_EXPIRED', `The time to decide on ${what} is over: it counts as rejected.`);
  const person = by === undefined ? '' : ` by ${by}`;
  return new RequestError('TASK_ANSWERED', `It has been decided on ${what} already${person}: ${decision}.`);
}

/** Decision on a call, as the journal has it. */
interface PastDecision {
  readonly decision: 'approve' | 'reject' | 'expire';
  readonly reason?: string | undefined;
  readonly by?: string | undefined;
}

/** Returns the decision that a question about a call got, from the journal; undefined if there is none. */
export async function findDecision(
  tenant: TenantRuntime,
  run: string,
  { activation, place, question }: CallQuestion,
): Promise<PastDecision | undefined> {
  let found: PastDecision | undefined;
  for await (const { event } of tenant.run(run).entriesOf(activation)) {
    // Its questions so far are those of the original run.
    if (event.type === 'run.forked') found = undefined;
    if (event.type === 'tool.decided' && event.place === place && event.question === question) found = event;
  }
  return found;
}
