import type { Wake } from '@millrace/core';
import { ForeignFormat, UnrecoverableRunError } from '@millrace/runtime';
import type { WorkerContext } from '../context/worker-context.ts';

/** Fails a run that no worker can continue; leaves one of another format alone. Throws any other error again. */
export async function failUnrecoverableRun(worker: WorkerContext, wake: Wake, error: unknown): Promise<void> {
  if (error instanceof ForeignFormat) return worker.foreignFormatLog.note(error);
  if (!(error instanceof UnrecoverableRunError)) throw error;
  const { run, activation } = wake;
  worker.log.error({ err: error, run, activation }, 'a run cannot be continued and fails');
  await worker.runs.submit(run, { type: 'fail', error: { ...error.failure, activation } });
}
