import type { MessageId } from '@millrace/core';
import { RequestError, textOf } from '@millrace/core';
import { z } from 'zod';
import { operation } from '../operation/operation.ts';
import { EventId, MessagePath, MessageText, RunEvents, runEventOf } from '../schemas/runs/event.ts';
import { RunPath } from '../schemas/runs/run.ts';
import { assertReached } from './assert-reached.ts';
import { describeKnown } from './describe.ts';

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
  }),
  output: RunEvents,
  async run({ tenant }, { id, cursor = '0', limit }) {
    assertReached(await describeKnown(tenant, id), cursor);
    const read = await tenant.readEvents(id, cursor, limit + 1);
    const data = read.slice(0, limit).map(runEventOf);
    return { body: { data, nextCursor: read.length > limit ? (data.at(-1)?.id ?? null) : null } };
  },
});

export const getMessage = operation({
  name: 'runs.message',
  method: 'GET',
  path: '/v1/runs/:id/messages/:mid',
  scope: 'read',
  summary: 'The text of a message that the journal of a run names',
  params: MessagePath,
  output: MessageText,
  async run({ tenant }, { id, mid }) {
    const message = await tenant.message(id, mid as MessageId); // MessagePath has checked its form
    if (message === undefined) throw new RequestError('MESSAGE_UNKNOWN', `Run ${id} has no message ${mid}.`);
    return { body: { id: mid, text: textOf(message) } };
  },
});
