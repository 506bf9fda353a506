import { RequestError, textMessage } from '@millrace/core';
import { expect, it } from 'vitest';
import type { ActivationContext } from '../context/activation-context.ts';
import { AttemptInterrupted } from '../context/interrupted.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { applyBudgetAnswer } from './execute.ts';

it('interrupts the attempt, and does not fail its node, while the run cannot be reached', async () => {
  const outage = new RequestError('REDIS_UNREACHABLE', 'Redis does not answer.');
  const submit = () => Promise.reject(outage);
  // It uses these alone.
  const worker = { runs: { submit } } as unknown as WorkerContext;
  const context = { wake: { run: 'r', activation: 'a1', token: 't' }, record: {} } as unknown as ActivationContext;
  const answered = applyBudgetAnswer(worker, context, textMessage('user', '5000 tokens', 'person'));

  await expect(answered).rejects.toBeInstanceOf(AttemptInterrupted);
  await expect(answered).rejects.toMatchObject({ cause: outage });
});
