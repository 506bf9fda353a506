import {
  PageLimit,
  problems,
  RefusedIntakeJob,
  RefusedIntakeJobList,
  RefusedIntakeJobPath,
  refusedIntakeJobOf,
  tenantIn,
} from '@millrace/api';
import { RequestError } from '@millrace/core';
import type { Intake, RefusedJob } from '@millrace/runtime';
import { z } from 'zod';
import type { Api } from '../api.ts';
import type { Server } from '../server.ts';

const Query = z.object({
  limit: PageLimit,
  cursor: z.coerce.number().int().min(0).default(0).describe('nextCursor of the page before.'),
});

/** Jobs of the intake queue that were refused. */
export function addIntakeRoutes(server: Server, { intake }: Api): void {
  server.get(
    '/v1/intake/quarantine',
    {
      config: { demand: 'admin' },
      schema: {
        summary: 'Refused jobs of the intake queue, newest first',
        querystring: Query,
        response: { 200: RefusedIntakeJobList, ...problems },
      },
    },
    async ({ caller: { space }, query: { limit, cursor } }) => pageOf(intake, { tenant: space.tenant, limit, cursor }),
  );
  server.post(
    '/v1/intake/quarantine/:id/retry',
    {
      config: { demand: 'admin' },
      schema: {
        summary: 'Take a refused job again',
        params: RefusedIntakeJobPath,
        response: { 202: RefusedIntakeJob, ...problems },
      },
    },
    async ({ caller: { space }, params: { id } }, reply) => {
      const job = await findOrRefuse(intake, space.tenant, id);
      if (!(await intake.retry(id))) throw unknownJob(id);
      return reply.code(202).send(refusedIntakeJobOf(job));
    },
  );
  server.delete(
    '/v1/intake/quarantine/:id',
    {
      config: { demand: 'admin' },
      schema: {
        summary: 'Forget a refused job',
        params: RefusedIntakeJobPath,
        response: { 200: RefusedIntakeJob, ...problems },
      },
    },
    async ({ caller: { space }, params: { id } }) => {
      const job = await findOrRefuse(intake, space.tenant, id);
      if (!(await intake.drop(id))) throw unknownJob(id);
      return refusedIntakeJobOf(job);
    },
  );
}

interface Page {
  readonly tenant: string;
  readonly limit: number;
  readonly cursor: number;
}

/** Jobs of all tenants are in one list, of which only so many are kept; a page may be shorter than was asked for. */
async function pageOf(intake: Intake, { tenant, limit, cursor }: Page): Promise<z.infer<typeof RefusedIntakeJobList>> {
  const read = await intake.refused(cursor, limit);
  return {
    data: read.filter(({ data }) => tenantIn(data) === tenant).map(refusedIntakeJobOf),
    nextCursor: read.length < limit ? null : String(cursor + limit),
  };
}

async function findOrRefuse(intake: Intake, tenant: string, id: string): Promise<RefusedJob> {
  const job = await intake.find(id);
  if (job === undefined || tenantIn(job.data) !== tenant) throw unknownJob(id);
  return job;
}

const unknownJob = (id: string): RequestError =>
  new RequestError('INTAKE_UNKNOWN', `There is no refused job ${id} on the intake queue.`);
