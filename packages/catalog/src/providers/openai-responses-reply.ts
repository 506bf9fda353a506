import type { ChatReply, EmitChunk } from '@millrace/core';
import { z } from 'zod';
import { boundedList } from '../model-calls/bounded-list.ts';
import { mediaBlock } from '../model-calls/content.ts';
import { connectionLost } from '../model-calls/model-call.ts';
import { ModelError, modelErrorCode } from '../model-calls/model-error.ts';
import { responsesUsage } from './usage.ts';

const text = z.string();

const Part = z.looseObject({ type: text, text: text.optional(), refusal: text.optional() });

const Item = z.looseObject({
  type: text,
  content: boundedList(Part).nullish(),
  call_id: text.optional(),
  name: text.optional(),
  arguments: text.optional(),
  encrypted_content: text.nullish(),
  /** Image in base64. */
  result: text.nullish().catch(null),
  output_format: text.nullish(),
});
type Item = z.infer<typeof Item>;

const Failed = z.object({ code: text.nullish(), message: text.nullish() });

const Response = z.object({
  status: text.nullish(),
  output: boundedList(Item),
  incomplete_details: z.object({ reason: text.nullish() }).nullish(),
  error: Failed.nullish(),
});

/** Returns the reply in a response; undefined if it is not one. Throws a ModelError if it reports a failure. */
export function responsesReply(response: unknown): ChatReply | undefined {
  const { data } = Response.safeParse(response);
  if (data === undefined) return undefined;
  if (data.error) throw failed(data.error);
  const calls = data.output.flatMap((item, at) => callOf(item, data.output.slice(0, at)));
  const said = data.output.flatMap(({ content }) => content ?? []).map((part) => part.text ?? part.refusal ?? '');
  const media = data.output.flatMap(({ type, result, output_format: format }) =>
    type === 'image_generation_call' && result
      ? [mediaBlock({ mimeType: `image/${format ?? 'png'}`, base64: result })]
      : [],
  );
  const usage = responsesUsage(response);
  const finishReason = data.incomplete_details?.reason ?? data.status;
  return {
    text: said.join(''),
    ...(media.length === 0 ? {} : { blocks: media }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(usage === undefined ? {} : { usage }),
    ...(finishReason == null ? {} : { finishReason }),
  };
}

const ResponsesStreamEvent = z.looseObject({
  type: text,
  delta: z.unknown().optional(),
  response: z.unknown().optional(),
});

/** Returns the reply in the events of a streamed response; undefined if they are invalid. */
export async function readResponsesStream(
  events: AsyncIterable<unknown>,
  { model, tell }: { readonly model: string; readonly tell: EmitChunk },
): Promise<ChatReply | undefined> {
  for await (const each of events) {
    const { data: event } = ResponsesStreamEvent.safeParse(each);
    if (event === undefined) return undefined;
    switch (event.type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        if (typeof event.delta === 'string') tell(event.delta);
        break;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return responsesReply(event.response);
      case 'error':
        throw failed(Failed.parse(event));
    }
  }
  throw connectionLost(model);
}

function failed({ code, message }: z.infer<typeof Failed>): ModelError {
  const type = code === 'rate_limit_exceeded' ? 'RateLimitError' : 'InternalServerError';
  return new ModelError(modelErrorCode(type, undefined), `The model failed: ${message ?? code ?? 'no reason given'}`, {
    type,
  });
}

/** Returns a call with the encrypted reasoning that led to it, which the API expects back, if there is any. */
function callOf({ type, call_id, name, arguments: written }: Item, before: readonly Item[]) {
  if (type !== 'function_call' || call_id === undefined || name === undefined) return [];
  const own = before.slice(before.findLastIndex((item) => item.type === 'function_call') + 1);
  const thoughts = own.filter((item) => item.type === 'reasoning' && item.encrypted_content);
  const call = { id: call_id, name, arguments: written ?? '' };
  return [thoughts.length === 0 ? call : { ...call, opaque: JSON.stringify(thoughts) }];
}
