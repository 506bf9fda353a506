import { RequestError } from '@millrace/core';
import type { RefusedJob } from '@millrace/runtime';
import { z } from 'zod';
import type { Context } from '../operation/context.ts';
import { operation } from '../operation/operation.ts';
import { PageLimit } from '../schemas/page.ts';
import {
  RefusedIntakeJob,
  RefusedIntakeJobList,
  RefusedIntakeJobPath,
  refusedIntakeJobOf,
  tenantIn,
} from './intake.ts';

export const listRefusedJobs = operation({
  name: 'intake.list',
  method: 'GET',
  path: '/v1/intake/quarantine',
  scope: 'admin',
  summary: 'Refused jobs of the intake queue, newest first',
  query: z.object({
    limit: PageLimit,
    cursor: z.coerce.number<number | string>().int().min(0).default(0).describe('nextCursor of the previous page.'),
  }),
  output: RefusedIntakeJobList,
  // Jobs of all tenants are in one list, of which only so many are kept; a page may be shorter than was asked for.
  async run(context, { limit, cursor }) {
    const read = await context.intake.refused(cursor, limit);
    const data = read.filter((job) => isSeen(job, context)).map(refusedIntakeJobOf);
    return { body: { data, nextCursor: read.length < limit ? null : String(cursor + limit) } };
  },
});

export const retryRefusedJob = operation({
  name: 'intake.retry',
  method: 'POST',
  path: '/v1/intake/quarantine/:id/retry',
  cli: 'intake retry <id>',
  scope: 'admin',
  summary: 'Queue a refused job again',
  params: RefusedIntakeJobPath,
  output: RefusedIntakeJob,
  status: 202,
  async run(context, { id }) {
    const job = await findJob(context, id);
    if (!(await context.intake.retry(id))) throw unknownJob(id);
    return { body: refusedIntakeJobOf(job) };
  },
});

export const dropRefusedJob = operation({
  name: 'intake.drop',
  method: 'DELETE',
  path: '/v1/intake/quarantine/:id',
  cli: 'intake drop <id>',
  scope: 'admin',
  summary: 'Delete a refused job',
  params: RefusedIntakeJobPath,
  output: RefusedIntakeJob,
  async run(context, { id }) {
    const job = await findJob(context, id);
    if (!(await context.intake.drop(id))) throw unknownJob(id);
    return { body: refusedIntakeJobOf(job) };
  },
});

async function findJob(context: Context, id: string): Promise<RefusedJob> {
  const job = await context.intake.find(id);
  if (job === undefined || !isSeen(job, context)) throw unknownJob(id);
  return job;
}

const isSeen = ({ data }: RefusedJob, { tenant, intakeOf }: Context): boolean =>
  intakeOf === 'all' || tenantIn(data) === tenant.tenant;

const unknownJob = (id: string): RequestError =>
  new RequestError('INTAKE_UNKNOWN', `There is no refused job ${id} on the intake queue.`);
