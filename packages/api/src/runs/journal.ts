import type { MessageBody, MessageId } from '@millrace/core';
import { omitUndefined, RequestError } from '@millrace/core';
import type { Content, TenantRuntime } from '@millrace/runtime';
import { z } from 'zod';
import { operation } from '../operation/operation.ts';
import {
  EventId,
  EventOrder,
  EventTypes,
  MessagePath,
  RunEvents,
  RunMessage,
  runMessageOf,
} from '../schemas/runs/event.ts';
import { RunPath } from '../schemas/runs/run.ts';
import { assertReached, describeKnown } from './describe.ts';

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
