import { RequestError } from '@millrace/core';
import { z } from 'zod';
import type { Api } from '../api.ts';
import { Limit } from '../contracts/page.ts';
import { problems } from '../contracts/problem.ts';
import { Run, RunLine, RunPath, RunResult, runLineOf, runOf, StartRun } from '../contracts/run.ts';
import { Wait } from '../contracts/wait.ts';
import { presence } from '../presence.ts';
import { readDefinition } from '../read-definition.ts';
import type { Server } from '../server.ts';
import { describeIdle, describeKnown } from '../until-idle.ts';

/** Runs: start, list, describe, result. */
export function addRunRoutes(server: Server, api: Api): void {
  addStart(server, api);
  addReads(server, api);
}

function addStart(server: Server, { vocabulary }: Api): void {
  server.post(
    '/v1/runs',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Start a run',
        body: StartRun,
        response: { 201: Run, 200: Run.describe('The run of this id had been started before.'), ...problems },
      },
    },
    async ({ caller: { space }, body }, reply) => {
      const workflow = readDefinition(body, vocabulary);
      const before = body.runId === undefined ? undefined : await space.describe(body.runId);
      const run =
        before?.run ??
        (await space.start({
          workflow,
          input: body.input,
          tags: [...new Set(body.tags)],
          ...(body.runId === undefined ? {} : { run: body.runId }),
          ...(body.timeoutSeconds === undefined ? {} : { timeoutMs: body.timeoutSeconds * 1000 }),
        }));
      const description = before ?? (await describeKnown(space, run));
      return reply
        .code(before === undefined ? 201 : 200)
        .header('location', `/v1/runs/${run}`)
        .send(runOf(description));
    },
  );
}

function addReads(server: Server, { closing }: Api): void {
  server.get(
    '/v1/runs',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'List runs, newest first',
        querystring: z.object({ limit: Limit }),
        response: { 200: z.object({ data: z.array(RunLine) }), ...problems },
      },
    },
    async ({ caller: { space }, query }) => ({ data: (await space.list(query)).runs.map(runLineOf) }),
  );
  server.get(
    '/v1/runs/:id',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'How a run stands',
        params: RunPath,
        querystring: z.object({
          wait: Wait.optional().describe('Answer only when it has ended or waits, or after this long.'),
        }),
        response: { 200: Run, ...problems },
      },
    },
    async ({ caller: { space }, params: { id }, query: { wait } }, reply) => {
      if (wait === undefined) return runOf(await describeKnown(space, id));
      const signal = AbortSignal.any([presence(reply, closing), AbortSignal.timeout(wait)]);
      return runOf(await describeIdle(space, id, signal));
    },
  );
  server.get(
    '/v1/runs/:id/result',
    {
      config: { demand: 'read' },
      schema: { summary: 'What a run came to', params: RunPath, response: { 200: RunResult, ...problems } },
    },
    async ({ caller: { space }, params: { id } }) => {
      const description = await describeKnown(space, id);
      if (description.finishedAt !== undefined) return runOf(description);
      throw new RequestError('RUN_UNFINISHED', `Run ${id} has no result yet: it is ${description.status}.`);
    },
  );
}
