import type { ChatReply, ReplyEnd } from '@millrace/core';
import { z } from 'zod';
import { boundedList } from '../../model-calls/bounded-list.ts';
import { mediaBlock } from '../../model-calls/content.ts';
import { connectionLost } from '../../model-calls/model-call.ts';
import { assertNoError, ReportedFailure, readReport } from '../../model-calls/reported-error.ts';
import { responsesUsage } from '../usage.ts';
import type { CompletionReader } from './chat-completions.ts';
import type { StreamedEvent } from './event-stream.ts';

const text = z.string();

const Part = z.looseObject({ type: text, text: text.optional(), refusal: text.optional() });

const Item = z.looseObject({
  type: text,
  content: boundedList(Part).nullish(),
  call_id: text.optional(),
  name: text.optional(),
  arguments: text.optional(),
  encrypted_content: text.nullish(),
  /** Of the thoughts of a model. */
  summary: boundedList(z.looseObject({ text: text.optional() }))
    .nullish()
    .catch(null),
  /** Image in base64. */
  result: text.nullish().catch(null),
  output_format: text.nullish(),
});
type Item = z.infer<typeof Item>;

const Response = z.object({
  status: text.nullish(),
  output: boundedList(Item),
  incomplete_details: z.object({ reason: text.nullish() }).nullish(),
});

/** Ends by the status of a response, or the reason for which it is incomplete. */
const ends = new Map<string, ReplyEnd>(
  Object.entries({
    completed: 'stop',
    max_output_tokens: 'length',
    content_filter: 'filter',
  }),
);

/** Returns the reply in a response; undefined if it is not one. Throws a ReportedFailure if it reports a failure. */
export function responsesReply(response: unknown): ChatReply | undefined {
  assertNoError(response);
  const { data } = Response.safeParse(response);
  if (data === undefined) return undefined;
  const calls = data.output.flatMap((item, at) => callOf(item, data.output.slice(0, at)));
  const parts = data.output.flatMap(({ type, content }) => (type === 'reasoning' ? [] : (content ?? [])));
  const said = parts.map((part) => part.text ?? part.refusal ?? '').join('');
  const thoughts = data.output.flatMap(({ summary }) => summary ?? []).flatMap((part) => part.text ?? []);
  const media = data.output.flatMap(({ type, result, output_format: format }) =>
    type === 'image_generation_call' && result
      ? [mediaBlock({ mimeType: `image/${format ?? 'png'}`, base64: result })]
      : [],
  );
  const usage = responsesUsage(response);
  const finishReason = data.incomplete_details?.reason ?? data.status;
  return {
    text: said,
    end: endOf(finishReason, {
      hasCalls: calls.length > 0,
      refuses: parts.some(({ refusal }) => refusal !== undefined),
    }),
    ...(thoughts.length === 0 ? {} : { thoughts: thoughts.join('\n\n') }),
    ...(media.length === 0 ? {} : { blocks: media }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(usage === undefined ? {} : { usage }),
    ...(finishReason == null ? {} : { finishReason }),
  };
}

function endOf(
  reason: string | null | undefined,
  of: { readonly hasCalls: boolean; readonly refuses: boolean },
): ReplyEnd {
  const end = ends.get(reason ?? '') ?? 'unknown';
  if (end === 'stop' && of.refuses) return 'refusal';
  return end === 'stop' && of.hasCalls ? 'calls' : end;
}

const ResponsesStreamEvent = z.looseObject({
  type: text,
  delta: z.unknown().optional(),
  response: z.unknown().optional(),
});

/** Returns the reply in the events of a streamed response; undefined if they are invalid. */
export async function readResponsesStream(
  events: AsyncIterable<StreamedEvent>,
  { model, emit }: CompletionReader,
): Promise<ChatReply | undefined> {
  for await (const each of events) {
    if (each.type === 'done') break;
    const { data: event } = ResponsesStreamEvent.safeParse(each.data);
    if (event === undefined) return undefined;
    switch (event.type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        if (typeof event.delta === 'string') emit(event.delta);
        break;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return responsesReply(event.response);
      case 'error':
        throw new ReportedFailure(readReport(JSON.stringify(event)));
    }
  }
  throw connectionLost(model);
}

/** Returns a call with the encrypted reasoning that led to it, which the API expects back, if there is any. */
function callOf({ type, call_id, name, arguments: written }: Item, before: readonly Item[]) {
  if (type !== 'function_call' || call_id === undefined || name === undefined) return [];
  const own = before.slice(before.findLastIndex((item) => item.type === 'function_call') + 1);
  const thoughts = own.filter((item) => item.type === 'reasoning' && item.encrypted_content);
  const call = { id: call_id, name, arguments: written ?? '' };
  return [thoughts.length === 0 ? call : { ...call, opaque: JSON.stringify(thoughts) }];
}
