import type { MessageBody } from '@millrace/core';
import { omitUndefined, textOf } from '@millrace/core';
import { JournalEvent } from '@millrace/core/schemas';
import type { LiveEvent as RuntimeLiveEvent } from '@millrace/runtime';
import { z } from 'zod';
import { RunId } from './run.ts';

/** Position in a journal: the id of the last known event. */
export const EventId = z
  .string()
  .regex(/^\d{1,15}-\d{1,15}$/, 'must be the id of an event, as in 12-0')
  .describe('The id of the last event that was received.');

/** Query that includes live output of steps in a stream, or omits it. */
export const Live = z
  .enum(['true', 'false'])
  .default('true')
  .describe('The stream also contains events `live`, without an id: the output of models and tools during a step.');

/** One event of a run. */
export const RunEvent = z
  .object({
    id: EventId,
    at: z.number().describe('Milliseconds since 1970.'),
    event: JournalEvent,
  })
  .meta({ id: 'RunEvent' });
/** RunEvent as responses have it. */
export type RunEvent = z.output<typeof RunEvent>;

/** A page of a journal. */
export const RunEvents = z
  .object({
    data: z.array(RunEvent),
    nextCursor: EventId.nullable().describe('null when there are no more at present.'),
  })
  .meta({ id: 'RunEvents' });

/** Live event of a step, as events \`live\` contain it. */
export type LiveEvent = RuntimeLiveEvent;

/** One message in a path. */
export const MessagePath = z.object({
  id: RunId,
  mid: z.string().regex(/^m\d{1,15}$/, 'must be the id of a message, as in m7'),
});

/** Order of the events of a page. */
export const EventOrder = z
  .enum(['oldest', 'newest'])
  .default('oldest')
  .describe('`newest`: backwards from the end, or from before the cursor. For pages only.');

const EventTypeFilter = z
  .string()
  .regex(/^[a-z*]+(\.[a-z*]+)?$/, 'must be a type of events, as in activation.failed or activation.*');

/** Types of the events of a page. */
export const EventTypes = z
  .union([EventTypeFilter, z.array(EventTypeFilter).min(1).max(50)])
  .optional()
  .describe('Types of events, such as `run.finished`, or `activation.*` for all that begin so. For pages only.');

/** A message. */
export const RunMessage = z
  .object({
    id: z.string(),
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    name: z.string().optional().describe('Name of its author, or of the tool that it is the result of.'),
    text: z.string(),
    size: z.int().describe('Number of characters of the whole text.'),
    blocks: z
      .array(z.looseObject({ type: z.enum(['text', 'image', 'audio', 'video', 'file', 'data']) }))
      .optional()
      .describe('Its parts, if it is more than a text; not with `view=head`.'),
    toolCalls: z
      .array(z.object({ id: z.string(), name: z.string(), arguments: z.string() }))
      .optional()
      .describe('Calls of tools that a model asked for; not with `view=head`.'),
  })
  .meta({ id: 'RunMessage' });

const headChars = 2048;

/** A message as the API shows it; with `head`, the first 2,048 characters of its text. */
export function runMessageOf(id: string, message: MessageBody, view?: 'head'): z.infer<typeof RunMessage> {
  const { role, name, content, toolCalls } = message;
  const text = textOf(message);
  const facts = { id, role, ...omitUndefined({ name }), size: text.length };
  if (view === 'head') return { ...facts, text: text.slice(0, headChars) };
  return {
    ...facts,
    text,
    ...(typeof content === 'string' ? {} : { blocks: content.map((block) => ({ ...block })) }),
    ...(toolCalls === undefined
      ? {}
      : {
          toolCalls: toolCalls.map(({ id: call, name: tool, arguments: json }) => ({
            id: call,
            name: tool,
            arguments: json,
          })),
        }),
  };
}
