import type { QuestionPlace, RunId } from '@millrace/core';
import { messageWithAttachments, omitUndefined, parseQuestionId, RequestError, textOf } from '@millrace/core';
import type { CallQuestion, Task, TenantRuntime } from '@millrace/runtime';
import type { z } from 'zod';
import type { Context } from '../operation/context.ts';
import { describeKnown } from '../runs/describe.ts';
import type { Answer } from '../schemas/task.ts';
import { asksForApproval, decideCall, decisionIn, findDecision, refuseClosedCall } from './decide-call.ts';

/** Answers a question. Throws RequestError, `TASK_ANSWERED` for any answer after the first. */
export async function answerTask(
  { tenant, answerContent, callDecision }: Pick<Context, 'tenant' | 'answerContent' | 'callDecision'>,
  id: string,
  answer: z.infer<typeof Answer>,
): Promise<void> {
  const { run, ...question } = parseQuestionId(id);
  const { tasks } = await describeKnown(tenant, run);
  const task = tasks.find((one) => one.id === id);
  if (isAboutCall(question)) {
    if (!asksForApproval(task)) return refuseClosedCall(tenant, { run, ...question });
    return decideCall(tenant, { run, ...question }, await decisionIn(task, answer, callDecision));
  }
  const { attachments, assignee, ...given } = answer;
  // The answer to a question that is not open is refused below.
  const content = task === undefined ? '' : await answerContent(task, given);
  const files = await tenant.files.attachments(attachments);
  const message = messageWithAttachments(content, files, task?.node ?? '');
  try {
    await tenant.run(run).answer(question, { message, by: assignee });
  } catch (error) {
    const closed = error instanceof RequestError && ['TASK_UNKNOWN', 'TASK_ANSWERED', 'RUN_ENDED'].includes(error.code);
    const first = closed ? await findAnswer(tenant, run, question) : undefined;
    if (first === undefined) throw error;
    throw new RequestError(
      'TASK_ANSWERED',
      `Question ${id} has been answered already${first.by === undefined ? '' : ` by ${first.by}`}: "${first.text}".`,
    );
  }
}

/** Returns the answer to a closed question, from the journal; undefined if it was withdrawn. */
export async function pastAnswer(
  tenant: TenantRuntime,
  { run, call, ...question }: Task,
): Promise<GivenAnswer | undefined> {
  if (call === undefined) return findAnswer(tenant, run, question);
  const past = await findDecision(tenant, run, { ...call, activation: question.activation });
  if (past === undefined) return undefined;
  const { decision, reason, by } = past;
  return { text: reason === undefined ? decision : `${decision}: ${reason}`, ...omitUndefined({ by }) };
}

const isAboutCall = (question: QuestionPlace): question is CallQuestion => question.place !== undefined;

/** Maximum number of shown characters of an answer. */
const maxChars = 200;

/** Answer to a question. */
interface GivenAnswer {
  /** Beginning of its text. */
  readonly text: string;
  /** Person who has answered, if known. */
  readonly by?: string;
}

/**
 * Returns the answer to a question of an activation; undefined if there is none. The record of an activation that has continued no
 * longer exists, so its part of the journal is read.
 */
export async function findAnswer(
  tenantRuntime: TenantRuntime,
  run: RunId,
  { activation, question }: QuestionPlace,
): Promise<GivenAnswer | undefined> {
  let found: GivenAnswer | undefined;
  for await (const { event } of tenantRuntime.run(run).entriesOf(activation)) {
    // Its questions so far are those of the original run.
    if (event.type === 'run.forked') found = undefined;
    if (event.type !== 'activation.answered' || event.suspension !== question) continue;
    const body = await tenantRuntime.run(run).message(event.answer.id);
    const text = body === undefined ? '' : textOf(body);
    found = { text: beginningOf(text), ...(event.by === undefined ? {} : { by: event.by }) };
  }
  return found;
}

const beginningOf = (text: string): string => {
  const characters = [...text.slice(0, 2 * maxChars + 2)];
  return characters.length > maxChars ? `${characters.slice(0, maxChars).join('')}…` : text;
};
