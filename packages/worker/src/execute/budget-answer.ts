import type { Message, Wait } from '@millrace/core';
import { readBudgetAnswer, textOf } from '@millrace/core';
import { UnrecoverableRunError } from '@millrace/runtime';
import type { ActivationContext } from '../context/activation-context.ts';
import { AttemptInterrupted } from '../context/interrupted.ts';
import type { WorkerContext } from '../context/worker-context.ts';

/**
 * Applies the answer to an activation's question for more money. Returns the question to ask again when the answer makes no
 * sense; otherwise the activation is executed, without the answer, which is none to a question of the node.
 */
export async function applyBudgetAnswer(
  worker: WorkerContext,
  { wake, record }: ActivationContext,
  answer: Message,
): Promise<Wait | undefined> {
  const decision = readBudgetAnswer(textOf(answer));
  if (decision === undefined && record.wait !== undefined) {
    const prompt = `That was not understood. ${record.wait.prompt.replace(/^That was not understood. /, '')}`;
    return { ...record.wait, prompt };
  }
  if (decision === undefined) return undefined;
  const { run, activation, token } = wake;
  const submitted = worker.runs.submit(run, { type: 'budget', activation, token, answer: decision });
  const verdict = await submitted.catch((error: unknown) => {
    throw error instanceof UnrecoverableRunError
      ? error
      : new AttemptInterrupted(`run ${run} could not be reached`, error);
  });
  if (verdict.type === 'refused') throw new AttemptInterrupted(verdict.message);
  if (decision === 'stop') throw new AttemptInterrupted('a person stopped the run');
  return undefined;
}
