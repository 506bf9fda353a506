import type { Settlement } from '@millrace/core';
import { readBudgetAnswer, textOf } from '@millrace/core';
import type { ActivationContext } from '../context/activation-context.ts';
import { AttemptInterrupted } from '../context/interrupted.ts';
import type { WorkerContext } from '../context/worker-context.ts';

/**
 * Takes the answer to an activation's question for more money, if it is that what woke it. What comes back is to be
 * executed, without the answer, which is none to a question of the node; or a settlement that asks again.
 */
export async function applyBudgetAnswer(
  worker: WorkerContext,
  context: ActivationContext,
): Promise<ActivationContext | Settlement> {
  const { wake, record, answer } = context;
  if (record.wait?.kind !== 'budget' || answer === undefined) return context;
  const said = readBudgetAnswer(textOf(answer));
  if (said === undefined) {
    const prompt = `That was not understood. ${record.wait.prompt.replace(/^That was not understood. /, '')}`;
    return { type: 'suspended', wait: { ...record.wait, prompt } };
  }
  const { run, activation, token } = wake;
  const verdict = await worker.runs.submit(run, { type: 'budget', activation, token, answer: said });
  if (verdict.type === 'refused') throw new AttemptInterrupted(verdict.message);
  if (said === 'stop') throw new AttemptInterrupted('a person stopped the run');
  const { wait: _question, answer: _taken, ...rest } = record;
  return { ...context, record: rest, answer: undefined };
}
