import type { MessageBody, MessageId } from '@millrace/core';
import { omitUndefined, RequestError } from '@millrace/core';
import type { Content, LiveEvent, TenantRuntime } from '@millrace/runtime';
import { z } from 'zod';
import { operation } from '../operation/operation.ts';
import { unknownRun } from '../operation/refusal.ts';
import type { RunEvent } from '../schemas/runs/event.ts';
import {
  EventId,
  EventOrder,
  EventTypes,
  Live,
  MessagePath,
  RunEvents,
  RunMessage,
  runMessageOf,
} from '../schemas/runs/event.ts';
import { RunPath } from '../schemas/runs/run.ts';
import { assertReached, describeKnown } from './describe.ts';
import { entityTag } from './entity-tag.ts';

export const listEvents = operation({
  name: 'runs.journal',
  method: 'GET',
  path: '/v1/runs/:id/events',
  sharesPath: true,
  scope: 'read',
  summary: 'A page of the events of a run',
  params: RunPath,
  query: z.object({
    cursor: EventId.optional(),
    limit: z.coerce.number<number | string>().int().min(1).max(1000).default(200),
    order: EventOrder,
    type: EventTypes,
  }),
  output: RunEvents,
  async run({ tenant }, { id, cursor, limit, order, type }) {
    const { seen, run } = await describeKnown(tenant, id, 'head');
    if (cursor !== undefined) assertReached({ run, seen }, cursor);
    const after = cursor ?? (order === 'newest' ? seen : '0');
    const types = type === undefined ? undefined : [type].flat();
    const { entries, next = null } = await tenant.run(id).searchEvents({
      order,
      after,
      limit,
      ...omitUndefined({ types }),
    });
    return { body: { data: [...entries], nextCursor: next } };
  },
});

export const getMessage = operation({
  name: 'runs.message',
  method: 'GET',
  path: '/v1/runs/:id/messages/:mid',
  scope: 'read',
  summary: 'A message that the journal of a run names',
  params: MessagePath,
  query: z.object({ view: z.literal('head').optional().describe('Only the first 2,048 characters of the text.') }),
  output: RunMessage,
  async run({ tenant }, { id, mid, view }) {
    const message = await messageOf(tenant, id, mid);
    return { body: runMessageOf(mid, message, view) };
  },
});

export const openMessage = operation({
  name: 'runs.messageText',
  method: 'GET',
  path: '/v1/runs/:id/messages/:mid/text',
  sharesPath: true,
  scope: 'read',
  summary: 'The text of a message as a file, which can be read in parts',
  params: MessagePath,
  output: z.custom<Content>(),
  kind: 'content',
  async run({ tenant }, { id, mid }) {
    const found = await tenant.run(id).messageText(mid as MessageId); // MessagePath has checked its form
    if (found === undefined) throw unknownMessage(id, mid);
    return { body: found };
  },
});

async function messageOf(tenant: Pick<TenantRuntime, 'run'>, run: string, id: string): Promise<MessageBody> {
  const message = await tenant.run(run).message(id as MessageId); // MessagePath has checked its form
  if (message === undefined) throw unknownMessage(run, id);
  return message;
}

const unknownMessage = (run: string, id: string): RequestError =>
  new RequestError('MESSAGE_UNKNOWN', `Run ${run} has no message ${id}.`);

/** Source of the events of a run. */
export interface RunEventSource {
  readonly entries: AsyncIterable<RunEvent>;
  /** Returns live output until the signal is aborted; absent if the caller does not request it. */
  readonly listen?: (over: AbortSignal) => AsyncIterable<LiveEvent>;
}

export const followEvents = operation({
  name: 'runs.events',
  method: 'GET',
  path: '/v1/runs/:id/events',
  cli: 'watch <id>',
  sharesPath: true,
  scope: 'read',
  summary: 'The events of a run, past and live',
  params: RunPath,
  query: z.object({ live: Live }),
  headers: z.object({ 'last-event-id': EventId.optional() }),
  output: z.custom<RunEventSource | undefined>(),
  kind: 'events',
  async run({ tenant, signal }, { id, live, 'last-event-id': after = '0' }) {
    const description = await describeKnown(tenant, id);
    assertReached(description, after);
    if (description.finishedAt !== undefined && (await tenant.run(id).journal(after, 1)).length === 0) {
      return { body: undefined, status: 204 };
    }
    const entries = tenant.run(id).followEvents(after, signal);
    return { body: live === 'true' ? { entries, listen: (over) => tenant.run(id).listen(over) } : { entries } };
  },
});

const column = z.array(z.int());

const RunDensity = z
  .object({
    event: EventId.describe('The last event that is counted.'),
    at: z.number().describe('Time of that event, in milliseconds since 1970.'),
    commits: z.int().describe('Number of commits that each bar covers: the first one those from 1 on.'),
    from: column.describe('Time of the first event of each bar, in milliseconds since 1970.'),
    events: column.describe('Number of events.'),
    failures: column.describe('Number of failures.'),
    questions: column.describe('Number of questions to people.'),
    iterations: column.describe('Number of iterations of loops that began.'),
    pauses: column.describe('Number of pauses.'),
  })
  .meta({ id: 'RunDensity' });

export const getDensity = operation({
  name: 'runs.density',
  method: 'GET',
  path: '/v1/runs/:id/density',
  scope: 'read',
  summary: 'The number of events over the whole journal of a run, in bars of equally many commits',
  description:
    'The columns have one value for each bar: at most 256 bars, however long the journal is. They are counted as the journal grows, so the request costs as much for a long run as for a short one.',
  params: RunPath,
  output: RunDensity,
  responses: { 304: z.undefined().describe('Nothing has happened since the response with the ETag in If-None-Match.') },
  async run({ tenant }, { id }) {
    const density = await tenant.run(id).density();
    if (density === undefined) throw unknownRun(id);
    const { from, events, failures, questions, iterations, pauses } = density;
    return {
      body: {
        event: density.event,
        at: density.at,
        commits: density.commits,
        from: [...from],
        events: [...events],
        failures: [...failures],
        questions: [...questions],
        iterations: [...iterations],
        pauses: [...pauses],
      },
      headers: { etag: entityTag(density) },
    };
  },
});
