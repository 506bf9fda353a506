import type { ActivationId } from '@millrace/core';
import { messageWithAttachments, RequestError } from '@millrace/core';
import type { TenantRuntime } from '@millrace/runtime';
import type { z } from 'zod';
import { describeKnown } from '../runs/describe.ts';
import type { Answer } from '../schemas/task.ts';
import { findAnswer } from './find-answer.ts';

/** Returns the run and the activation of a task by its id, `RUN.ACTIVATION`. */
export function placeOf(id: string): { readonly run: string; readonly activation: ActivationId } {
  const [run = '', name] = id.split('.');
  return { run, activation: name as ActivationId }; // TaskPath has checked its form
}

/** Answers a question. Throws RequestError, `TASK_ANSWERED` for any answer after the first. */
export async function answerTask(
  tenantRuntime: TenantRuntime,
  id: string,
  { text, attachments, assignee }: z.infer<typeof Answer>,
): Promise<void> {
  const { run, activation } = placeOf(id);
  const { tasks } = await describeKnown(tenantRuntime, run);
  const node = tasks.find((task) => task.activation === activation)?.node ?? '';
  const message = messageWithAttachments(text, await tenantRuntime.files.attachments(attachments), node);
  try {
    await tenantRuntime.run(run).answer(activation, { message, by: assignee });
  } catch (error) {
    const closed = error instanceof RequestError && ['TASK_UNKNOWN', 'RUN_ENDED'].includes(error.code);
    const first = closed ? await findAnswer(tenantRuntime, run, activation) : undefined;
    if (first === undefined) throw error;
    throw new RequestError(
      'TASK_ANSWERED',
      `Activation ${activation} has been answered already${first.by === undefined ? '' : ` by ${first.by}`}: "${first.text}".`,
    );
  }
}
