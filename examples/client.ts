import { openAsBlob } from 'node:fs';
import type { Millrace, RunResult } from '@millrace/client';

/** Has a patch reviewed, says yes to what it asks, looks at it from another side, and gives failed runs another try. */
export async function review(millrace: Millrace, patch: string): Promise<RunResult> {
  const run = await millrace.runs.start('code-review', {
    input: 'Review PR 42',
    attachments: [await millrace.files.upload(await openAsBlob(patch), { name: 'diff.patch' })],
    vars: { TONE: 'kind' },
    tags: ['pr:42'],
    timeout: '2h',
    budget: { usd: 2 },
    idempotencyKey: 'pr-42-review',
  });
  for await (const _asked of run.events({ types: ['activation.suspended'] })) {
    for await (const task of run.tasks()) await millrace.tasks.answer(task.id, 'ok');
  }
  const result = await run.result({ timeout: '2h' });
  await run.fork({ at: 'a1', output: 'Look at the tests only.' });
  for await (const failed of millrace.runs.list({ status: 'failed', since: '24h' })) {
    await millrace.runs.get(failed.runId).retry();
  }
  return result;
}
