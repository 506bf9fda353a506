import { createHash } from 'node:crypto';
import type { Context } from '@millrace/api';
import { IntakeRun, problemDetailsOf, Refused, startRequestOf } from '@millrace/api';
import type { WorkflowReader } from '@millrace/catalog';
import { RequestError } from '@millrace/core';
import type { IntakeJob, IntakeResult, Runtime } from '@millrace/runtime';
import { createTenantRuntime } from '@millrace/runtime';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { isTransient } from '../context/transient.ts';

/** What the start of a run of the intake queue needs. */
export interface IntakeContext extends Pick<Context, 'assertReachable'> {
  readonly runtime: Pick<Runtime, 'runs' | 'store' | 'intake'>;
  readonly log: Logger;
  readonly reader: WorkflowReader;
}

/** Starts the run that a job of the intake queue describes. */
export async function takeIntakeJob(
  { runtime, reader, log, assertReachable }: IntakeContext,
  job: IntakeJob,
): Promise<IntakeResult> {
  const parsed = IntakeRun.safeParse(job.data);
  if (!parsed.success) return refused(log, job, reasonOf(invalid(parsed.error)));
  const { tenant, ...body } = parsed.data;
  const tenantRuntime = createTenantRuntime(runtime, tenant);
  try {
    const run = body.runId ?? intakeRunId(tenant, job.key);
    const request = await startRequestOf(body, { tenant: tenantRuntime, reader, assertReachable });
    await tenantRuntime.start({ ...request, startedBy: { type: 'intake', of: job.id }, run });
    log.info({ job: job.id, run, tenant }, 'started a run from the intake queue');
    return { type: 'started', answer: { runId: run, tenant } };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (!isTransient(error)) return refused(log, job, reasonOf(error));
    log.warn({ job: job.id, code: error.code }, 'postponed a job of the intake queue');
    return { type: 'later', reason: error.message };
  }
}

/** Returns the id of the run that a job starts, within its tenant; a program can derive it from the job. */
const intakeRunId = (tenant: string, key: string): string =>
  `run_${createHash('sha256').update(`${tenant}/${key}`).digest('hex').slice(0, 32)}`;

function refused(log: Logger, { id }: IntakeJob, reason: string): IntakeResult {
  log.warn({ job: id, reason }, 'refused a job of the intake queue');
  return { type: 'refused', reason };
}

function invalid({ issues }: z.ZodError): RequestError {
  const faults = problemDetailsOf(issues).map(({ pointer, detail }) => `${pointer}: ${detail}`);
  return new RequestError('INTAKE_INVALID', `The data of the job is invalid: ${faults.join('; ')}.`);
}

function reasonOf(error: RequestError): string {
  const details = error instanceof Refused ? error.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`) : [];
  return [`${error.code}: ${error.message}`, ...details].join('\n');
}
