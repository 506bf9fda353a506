import { budgetOf, problems, ResumeRun, Run, RunPath, runOf } from '@millrace/api';
import { textMessage } from '@millrace/core';
import type { Namespace } from '@millrace/runtime';
import { z } from 'zod';
import type { Server } from '../server.ts';
import { describeKnown } from '../until-idle.ts';

/** What can be done with a run on its way: pause, resume, retry, cancel, remove. */
export function addLifeRoutes(server: Server): void {
  const stands: Stands = async (space, id) => runOf(await describeKnown(space, id));
  const response = { 200: Run, ...problems };
  const nothing = z.strictObject({}).nullish();
  server.post(
    '/v1/runs/:id/pause',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Let nothing new start in a run; what is at work may finish',
        params: RunPath,
        body: nothing,
        response,
      },
    },
    async ({ caller: { space }, params: { id } }) => {
      await space.pause(id);
      return stands(space, id);
    },
  );
  server.post(
    '/v1/runs/:id/resume',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Go on with a run that is paused, stopped or failed, or give a completed one a further task',
        params: RunPath,
        body: ResumeRun,
        response,
      },
    },
    async ({ caller: { space }, params: { id }, body }) => {
      const to = body?.to === undefined ? {} : { to: body.to };
      await space.resume(id, taskOf(body?.input), { ...budgetOf(body?.budget), ...to });
      return stands(space, id);
    },
  );
  server.post(
    '/v1/runs/:id/retry',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Go on with a run that has failed, from what failed',
        params: RunPath,
        body: nothing,
        response,
      },
    },
    async ({ caller: { space }, params: { id } }) => {
      await space.retry(id);
      return stands(space, id);
    },
  );
  addEnds(server, stands);
}

type Stands = (space: Namespace, id: string) => Promise<Run>;

function addEnds(server: Server, stands: Stands): void {
  server.delete(
    '/v1/runs/:id',
    {
      config: { demand: 'admin' },
      schema: {
        summary: 'Remove a run that has ended, with all that is kept of it',
        params: RunPath,
        response: { 200: z.object({ runId: z.string() }), ...problems },
      },
    },
    async ({ caller: { space }, params: { id } }) => {
      await space.remove(id);
      return { runId: id };
    },
  );
  server.post(
    '/v1/runs/:id/cancel',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'End a run for good',
        params: RunPath,
        body: z.strictObject({ reason: z.string().max(1000).optional() }).nullish(),
        response: { 200: Run, ...problems },
      },
    },
    async ({ caller: { space }, params: { id }, body }) => {
      await space.cancel(id, body?.reason ?? 'cancelled over HTTP');
      return stands(space, id);
    },
  );
}

const taskOf = (input: string | undefined) => (input === undefined ? [] : [textMessage('user', input, 'TASK')]);
