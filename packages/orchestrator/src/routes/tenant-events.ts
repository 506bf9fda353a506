import { Readable } from 'node:stream';
import type { TenantEventSource } from '@millrace/api';
import { problems, TenantEvent, watchEvents } from '@millrace/api';
import { z } from 'zod';
import type { RouteContext } from '../context/route-context.ts';
import { tenantEventItems } from '../context/tenant-event-items.ts';
import { contextFor } from '../http/add-operations.ts';
import { endedBy, reconnect, streamHeaders } from '../http/event-stream.ts';
import type { Server } from '../http/server.ts';

/** Interval of numbers of runs; proxies close connections without data. */
const countEveryMs = 15_000;

/** Adds the stream of a tenant's events. */
export function addTenantEventRoutes(server: Server, api: RouteContext): void {
  server.get(
    watchEvents.path,
    {
      config: { requiredScope: watchEvents.scope },
      schema: {
        summary: watchEvents.summary,
        description:
          'Server-sent events without ids, from now on: the type is the name of the event. The first one, `gap`, and each later one says that lists have to be read again.',
        response: {
          200: {
            description: 'The events.',
            content: {
              'text/event-stream': { schema: z.custom<Readable>().meta({ type: 'string' }) },
              'application/json': { schema: TenantEvent.describe('Data of one event.') },
            },
          },
          ...problems,
        },
      },
    },
    async (request, reply) => {
      const { body } = await watchEvents.run(contextFor(api, request, reply), {});
      return reply
        .headers(streamHeaders)
        .type('text/event-stream')
        .send(Readable.from(endedBy(api.closing, frames(body)), { objectMode: false }));
    },
  );
}

async function* frames(source: TenantEventSource): AsyncGenerator<string> {
  yield reconnect;
  for await (const event of tenantEventItems(source, countEveryMs)) {
    yield `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  }
}
