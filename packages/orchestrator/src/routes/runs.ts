import {
  describeKnown,
  omitUndefined,
  Preference,
  problems,
  Run,
  RunPath,
  runOf,
  StartRun,
  startRequestOf,
  Wait,
} from '@millrace/api';
import { z } from 'zod';
import type { Api } from '../api.ts';
import { namesTag } from '../if-none-match.ts';
import { presence } from '../presence.ts';
import type { Server } from '../server.ts';
import { describeEnded, describeIdle } from '../until-idle.ts';

/** Runs: start, list, describe, result. */
export function addRunRoutes(server: Server, api: Api): void {
  addStart(server, api);
  addReads(server, api);
}

function addStart(server: Server, { reader, closing, assertReachable }: Api): void {
  server.post(
    '/v1/runs',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Start a run',
        description: 'With `Prefer: wait=30` it is answered when the run has ended or waits, or after so many seconds.',
        headers: z.object({ prefer: Preference }),
        body: StartRun,
        response: { 201: Run, 200: Run.describe('The run of this id had been started before.'), ...problems },
      },
    },
    async (request, reply) => {
      const { caller, body, seed, trace } = request;
      const { space } = caller;
      const id = body.runId ?? (seed === undefined ? undefined : `run_${seed}`);
      const before = body.runId === undefined ? undefined : await space.describe(body.runId);
      const { run, started } =
        before === undefined
          ? await space.begin({
              ...(await startRequestOf(body, { tenant: space, reader, assertReachable })),
              ...omitUndefined({ run: id, trace }),
            })
          : { run: before.run, started: false };
      const waitMs = request.headers.prefer;
      if (waitMs !== undefined) reply.header('preference-applied', `wait=${waitMs / 1000}`);
      const description =
        waitMs === undefined
          ? (before ?? (await describeKnown(space, run)))
          : await describeIdle(space, run, { waitMs, signal: presence(reply, closing) });
      // A request that is carried out again under its idempotency key is answered as it was the first time.
      const status = started || body.runId === undefined ? 201 : 200;
      return reply.code(status).header('location', `/v1/runs/${run}`).send(runOf(description));
    },
  );
}

function addReads(server: Server, { closing }: Api): void {
  server.get(
    '/v1/runs/:id',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'How a run stands',
        params: RunPath,
        querystring: z.object({
          wait: Wait.optional().describe('Answer only when it has ended or waits, or after this long.'),
          until: z
            .enum(['idle', 'ended'])
            .default('idle')
            .describe('`ended`: go on waiting while it waits for somebody.'),
        }),
        response: { 200: Run, 304: z.undefined().describe('It stands as If-None-Match says.'), ...problems },
      },
    },
    async ({ caller: { space }, params: { id }, query: { wait, until }, headers }, reply) => {
      const describe = until === 'ended' ? describeEnded : describeIdle;
      const description =
        wait === undefined
          ? await describeKnown(space, id)
          : await describe(space, id, { waitMs: wait, signal: presence(reply, closing) });
      const tag = `"${description.seen.split('-', 1)[0]}"`;
      reply.header('etag', tag);
      if (namesTag(headers['if-none-match'], tag)) return reply.code(304).send();
      return reply.send(runOf(description));
    },
  );
}
