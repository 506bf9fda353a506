import { createHash } from 'node:crypto';
import type { Block, ChatReply, ToolCall } from '@millrace/core';
import { z } from 'zod';
import { boundedList } from '../model-calls/bounded-list.ts';
import { inlineContent, mediaBlock } from '../model-calls/content.ts';
import { chatUsage } from './usage.ts';

const Content = z.union([
  z.string(),
  // Some servers answer in parts, as the Responses API does.
  boundedList(z.looseObject({ text: z.string().optional() })).transform((parts) =>
    parts.map((part) => part.text ?? '').join(''),
  ),
]);

const FunctionCall = z.object({
  id: z.string().nullish(),
  function: z.object({ name: z.string(), arguments: z.string().nullish() }),
});

/** Images in the form of routers to several providers. */
const Images = boundedList(z.object({ image_url: z.object({ url: z.string() }) }))
  .nullish()
  .catch(null);

const Audio = z.object({ data: z.string().nullish(), transcript: z.string().nullish() });

const Completion = z.object({
  choices: boundedList(
    z.object({
      finish_reason: z.string().nullish(),
      message: z.object({
        content: Content.nullish(),
        refusal: z.string().nullish(),
        tool_calls: boundedList(FunctionCall).nullish(),
        images: Images,
        audio: Audio.nullish(),
      }),
    }),
  ),
});

/** Returns the reply in a chat completion; undefined if it is not one. `audioFormat`: format of its recordings. */
export function openaiReply(completion: unknown, audioFormat = 'wav'): ChatReply | undefined {
  const { data } = Completion.safeParse(completion);
  const choice = data?.choices[0];
  if (data === undefined || choice === undefined) return undefined;
  const usage = chatUsage(completion);
  const { content, refusal, tool_calls, images, audio } = choice.message;
  const calls = (tool_calls ?? []).map(toolCall);
  const media = [...(images ?? []).flatMap(imageOf), ...(audio?.data ? [recordingOf(audio.data, audioFormat)] : [])];
  return {
    text: content ?? audio?.transcript ?? refusal ?? '',
    ...(media.length === 0 ? {} : { blocks: media }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(usage === undefined ? {} : { usage }),
    ...(choice.finish_reason == null ? {} : { finishReason: choice.finish_reason }),
  };
}

function imageOf({ image_url: { url } }: NonNullable<z.infer<typeof Images>>[number]): readonly Block[] {
  const inline = inlineContent(url);
  if (inline !== undefined) return [mediaBlock(inline)];
  return [{ type: 'image', attachment: { id: url, name: 'image', mimeType: 'image/png', uri: url } }];
}

const recordingTypes: ReadonlyMap<string, string> = new Map([
  ['mp3', 'audio/mpeg'],
  ['opus', 'audio/ogg'],
  ['pcm16', 'audio/L16'],
]);

const recordingOf = (base64: string, format: string): Block =>
  mediaBlock({ mimeType: recordingTypes.get(format) ?? `audio/${format}`, base64 });

function toolCall({ id, function: { name, arguments: text } }: z.infer<typeof FunctionCall>): ToolCall {
  const written = text ?? '';
  return {
    id: id || `${name}_${createHash('md5').update(`${name}:${written}`).digest('hex').slice(0, 8)}`,
    name,
    arguments: written,
  };
}
