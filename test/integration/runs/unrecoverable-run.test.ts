import { createVocabulary } from '@millrace/catalog';
import { connect, openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import pino from 'pino';
import { expect, it } from 'vitest';
import { readWebhookEvent } from '../../../packages/orchestrator/src/background/webhooks/webhook-event.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { workflowOf } from '../../support/runs/scenario.ts';
import { chain } from '../../support/runs/scenarios.ts';

it('fails a run whose plan is gone, with a code, instead of coming back to it for ever', async () => {
  const { url, prefix, where } = newInstallation();
  const vocabulary = createVocabulary();
  const report = () => {};
  const starter = await openRuntime(where, vocabulary, report);
  const run = await starter.runs.start({ workflow: workflowOf(chain, vocabulary), input: 'go' });
  const redis = connect(url, 'test');
  await redis.del(...(await redis.keys(`${prefix}:plan:*`)));

  const runtime = await openRuntime(where, vocabulary, report);
  const log = pino({ level: 'silent' });
  const worker = startWorker({ runtime, vocabulary, concurrency: 1, name: 'newcomer', log });
  const signal = AbortSignal.timeout(20_000);
  let end = '';
  for await (const { id, event } of runtime.runs.watch(run, '0', signal)) if (event.type === 'run.finished') end = id;

  const described = await runtime.runs.describe(run);
  expect(described?.status).toBe('failed');
  expect(described?.error?.code).toBe('PLAN_MISSING');
  // Those who are told of its end must not depend on its plan.
  expect(await readWebhookEvent(runtime, run, end)).toMatchObject({ type: 'run.failed' });
  await worker.close();
  await Promise.all([runtime.close(), starter.close()]);
  redis.disconnect();
});
