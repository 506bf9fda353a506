import { textMessage } from '@millrace/core';
import { z } from 'zod';
import type { Api } from '../api.ts';
import { problems } from '../contracts/problem.ts';
import { ResumeRun, Run, RunPath, runOf, StopRun } from '../contracts/run.ts';
import type { Server } from '../server.ts';
import { describeKnown } from '../until-idle.ts';

/** What can be done with a run on its way: pause, resume, stop, retry, cancel. */
export function addLifeRoutes(server: Server, { runtime: { runs } }: Api): void {
  const stands = async (id: string) => runOf(await describeKnown(runs, id));
  const response = { 200: Run, ...problems };
  const nothing = z.strictObject({}).nullish();
  server.post(
    '/v1/runs/:id/pause',
    {
      schema: {
        summary: 'Let nothing new start in a run; what is at work may finish',
        params: RunPath,
        body: nothing,
        response,
      },
    },
    async ({ params: { id } }) => {
      await runs.pause(id);
      return stands(id);
    },
  );
  server.post(
    '/v1/runs/:id/resume',
    {
      schema: {
        summary: 'Go on with a run that is paused, terminated or failed',
        params: RunPath,
        body: ResumeRun,
        response,
      },
    },
    async ({ params: { id }, body }) => {
      await runs.resume(id, body?.input === undefined ? [] : [textMessage('user', body.input, 'TASK')]);
      return stands(id);
    },
  );
  server.post(
    '/v1/runs/:id/stop',
    { schema: { summary: 'Stop a run so that it can be resumed', params: RunPath, body: StopRun, response } },
    async ({ params: { id }, body }) => {
      const inFlight = body?.mode === 'cancel' ? 'cancel' : 'drain';
      await runs.stop(id, { note: body?.note ?? 'stopped over HTTP', inFlight });
      return stands(id);
    },
  );
  server.post(
    '/v1/runs/:id/retry',
    {
      schema: {
        summary: 'Go on with a run that has failed, from what failed',
        params: RunPath,
        body: nothing,
        response,
      },
    },
    async ({ params: { id } }) => {
      await runs.retry(id);
      return stands(id);
    },
  );
  server.post(
    '/v1/runs/:id/cancel',
    {
      schema: {
        summary: 'End a run for good',
        params: RunPath,
        body: z.strictObject({ reason: z.string().max(1000).optional() }).nullish(),
        response,
      },
    },
    async ({ params: { id }, body }) => {
      await runs.cancel(id, body?.reason ?? 'cancelled over HTTP');
      return stands(id);
    },
  );
}
