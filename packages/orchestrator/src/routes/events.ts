import type { Readable } from 'node:stream';
import { assertReached, describeKnown, EventId, listEvents, problems, RunEvents, RunPath } from '@millrace/api';
import { z } from 'zod';
import type { RouteContext } from '../context/route-context.ts';
import { contextFor } from '../http/add-operations.ts';
import { eventStream } from '../http/event-stream.ts';
import { requestSignal } from '../http/request-signal.ts';
import type { Server } from '../http/server.ts';

const Query = z.object({
  cursor: EventId.optional(),
  live: z
    .enum(['true', 'false'])
    .default('true')
    .describe(
      'Whether the stream also has events `live`, without an id: what models and tools say while they are at work.',
    ),
  limit: z.coerce.number().int().min(1).max(1000).default(200).describe('For pages only.'),
});
const Headers = z.object({
  accept: z.string().optional(),
  'last-event-id': EventId.optional(),
});

/** The journal of a run, as a stream or in pages. */
export function addEventRoutes(server: Server, api: RouteContext): void {
  server.get(
    '/v1/runs/:id/events',
    {
      config: { requiredScope: 'read' },
      schema: {
        summary: 'What happened and happens in a run',
        description:
          'Server-sent events until the run has finished, or a page when JSON is accepted. Goes on after the cursor, or after Last-Event-ID.',
        params: RunPath,
        querystring: Query,
        headers: Headers,
        response: {
          200: {
            description: 'The events, as text/event-stream or as a page of application/json.',
            content: {
              'text/event-stream': { schema: z.custom<Readable>().meta({ type: 'string' }) },
              'application/json': { schema: RunEvents },
            },
          },
          204: z.undefined().describe('The run has finished, and nothing follows: do not reconnect.'),
          ...problems,
        },
      },
    },
    async (request, reply) => {
      const { caller, params, query, headers } = request;
      const { tenant: space } = caller;
      const { id } = params;
      const after = headers['last-event-id'] ?? query.cursor ?? '0';
      if (headers.accept?.includes('application/json') === true) {
        const input = { id, cursor: after, limit: query.limit };
        const { body } = await listEvents.run(contextFor(api, request, reply), input);
        return reply.type('application/json').send(body);
      }
      const description = await describeKnown(space, id);
      assertReached(description, after);
      if (description.finishedAt !== undefined && (await space.journal(id, after, 1)).length === 0) {
        return reply.code(204).send();
      }
      const entries = space.watch(id, after, requestSignal(reply, api.closing));
      const listen = (over: AbortSignal) => space.listen(id, over);
      const told = query.live === 'true' ? { entries, listen } : { entries };
      return reply.header('cache-control', 'no-store').type('text/event-stream').send(eventStream(told));
    },
  );
}
