import { createVocabulary } from '@millrace/catalog';
import { openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import pino from 'pino';
import { expect, it } from 'vitest';
import { workflowOf } from '../../support/runs/scenario.ts';
import { chain, map } from '../../support/runs/scenarios.ts';

it.each([
  ['a node type', { type: 'nodes', scenario: chain, code: 'NODE_TYPE_MISSING' }],
  ['a split type', { type: 'splitters', scenario: map, code: 'PLAN_INVALID' }],
] as const)('fails a run that uses %s which its worker does not know', async (_what, { type, scenario, code }) => {
  const vocabulary = createVocabulary();
  const runtime = await openRuntime({ local: true }, vocabulary, () => {});
  const run = await runtime.runs.start({ workflow: workflowOf(scenario, vocabulary), input: 'go' });

  const smaller = { ...vocabulary, [type]: new Map() };
  const log = pino({ level: 'silent' });
  const worker = startWorker({ runtime, vocabulary: smaller, concurrency: 1, name: 'older', log });
  const signal = AbortSignal.timeout(20_000);
  for await (const { event } of runtime.runs.watch(run, '0', signal)) if (event.type === 'run.finished') break;

  expect(await runtime.runs.describe(run)).toMatchObject({ status: 'failed', error: { code } });
  await worker.close();
  await runtime.close();
});
