import type { Readable } from 'node:stream';
import { describeKnown, EventId, MessagePath, MessageText, problems, RunEvents, RunPath } from '@millrace/api';
import type { MessageId, RunId } from '@millrace/core';
import { RequestError, textOf } from '@millrace/core';
import type { Namespace } from '@millrace/runtime';
import { z } from 'zod';
import type { Api } from '../api.ts';
import { eventStream } from '../event-stream.ts';
import { presence } from '../presence.ts';
import type { Server } from '../server.ts';

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
export function addEventRoutes(server: Server, { closing }: Api): void {
  addMessage(server);
  server.get(
    '/v1/runs/:id/events',
    {
      config: { demand: 'read' },
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
    async ({ caller: { space }, params: { id }, query, headers }, reply) => {
      const { finishedAt, seen } = await describeKnown(space, id);
      const after = headers['last-event-id'] ?? query.cursor ?? '0';
      assertPast(id, after, seen);
      if (headers.accept?.includes('application/json') === true) {
        return reply.type('application/json').send(await page(space, id, { after, limit: query.limit }));
      }
      if (finishedAt !== undefined && (await space.journal(id, after, 1)).length === 0) {
        return reply.code(204).send();
      }
      const entries = space.watch(id, after, presence(reply, closing));
      const listen = (over: AbortSignal) => space.listen(id, over);
      const told = query.live === 'true' ? { entries, listen } : { entries };
      return reply.header('cache-control', 'no-store').type('text/event-stream').send(eventStream(told));
    },
  );
}

function addMessage(server: Server): void {
  server.get(
    '/v1/runs/:id/messages/:mid',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'The text of a message that the journal of a run names',
        params: MessagePath,
        response: { 200: MessageText, ...problems },
      },
    },
    async ({ caller: { space }, params: { id, mid } }) => {
      const message = await space.message(id, mid as MessageId); // MessagePath has checked its form
      if (message === undefined) throw new RequestError('MESSAGE_UNKNOWN', `Run ${id} has no message ${mid}.`);
      return { id: mid, text: textOf(message) };
    },
  );
}

/** Throws RequestError for a place that the journal has not reached: what follows it would never come, or be something else. */
function assertPast(run: RunId, after: string, seen: string): void {
  const [asked, last] = [Number.parseInt(after, 10), Number.parseInt(seen, 10)];
  if (asked <= last) return;
  throw new RequestError(
    'EVENT_UNKNOWN',
    `Run ${run} has no event ${after}: its journal has not come that far. Follow it again from its beginning.`,
  );
}

async function page(space: Namespace, run: RunId, { after, limit }: { after: string; limit: number }) {
  const read = await space.journal(run, after, limit + 1);
  const data = read.slice(0, limit);
  return { data, nextCursor: read.length > limit ? (data.at(-1)?.id ?? null) : null };
}
