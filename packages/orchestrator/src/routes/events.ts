import type { Readable } from 'node:stream';
import {
  EventId,
  EventOrder,
  EventTypes,
  followEvents,
  Live,
  listEvents,
  problems,
  RunEvents,
  RunPath,
} from '@millrace/api';
import { z } from 'zod';
import type { RouteContext } from '../context/route-context.ts';
import { contextFor } from '../http/add-operations.ts';
import { eventStream, streamHeaders } from '../http/event-stream.ts';
import type { Server } from '../http/server.ts';

const Query = z.object({
  cursor: EventId.optional(),
  live: Live,
  limit: z.coerce.number().int().min(1).max(1000).default(200).describe('For pages only.'),
  order: EventOrder,
  type: EventTypes,
});
const Headers = z.object({
  accept: z.string().optional(),
  'last-event-id': EventId.optional(),
});

/** Adds the routes of a run's journal, as a stream or in pages. */
export function addEventRoutes(server: Server, api: RouteContext): void {
  server.get(
    '/v1/runs/:id/events',
    {
      config: { requiredScope: followEvents.scope },
      schema: {
        summary: followEvents.summary,
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
      const { params, query, headers } = request;
      const { id } = params;
      const after = headers['last-event-id'] ?? query.cursor;
      const context = contextFor(api, request, reply);
      if (headers.accept?.includes('application/json') === true) {
        const { body } = await listEvents.run(context, { ...query, id, cursor: after });
        return reply.type('application/json').send(body);
      }
      const { body: events } = await followEvents.run(context, { id, live: query.live, 'last-event-id': after ?? '0' });
      if (events === undefined) return reply.code(204).send();
      return reply.headers(streamHeaders).type('text/event-stream').send(eventStream(events, api.closing));
    },
  );
}
