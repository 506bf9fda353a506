import type { ChatReply, EmitChunk } from '@millrace/core';
import { z } from 'zod';
import { boundedList } from '../model-calls/bounded-list.ts';
import { connectionLost } from '../model-calls/model-call.ts';
import { openaiReply } from './openai-reply.ts';

const text = z.string().nullish();

/** Maximum number of tool calls in a reply. */
const mostCalls = 10_000;

const Chunk = z.object({
  choices: boundedList(
    z.object({
      finish_reason: text,
      delta: z
        .object({
          content: text,
          refusal: text,
          images: z.array(z.unknown()).nullish(),
          tool_calls: boundedList(
            z.object({
              // The place in a list: a large one would be a list with as many gaps.
              index: z.int().min(0).max(mostCalls).nullish(),
              id: text,
              function: z.object({ name: text, arguments: text }).nullish(),
            }),
          ).nullish(),
        })
        .nullish(),
    }),
  ).default([]),
  usage: z.unknown().optional(),
  model: z.unknown().optional(),
  service_tier: z.unknown().optional(),
});
type Delta = NonNullable<z.infer<typeof Chunk>['choices'][number]['delta']>;

interface Call {
  id: string;
  function: { name: string; arguments: string };
}

interface Whole {
  content: string;
  refusal: string;
  readonly images: unknown[];
  readonly tool_calls: Call[];
}

/** Returns the reply in the chunks of a streamed chat completion; undefined if they are invalid. */
export async function readOpenaiStream(
  chunks: AsyncIterable<unknown>,
  { model, tell }: { readonly model: string; readonly tell: EmitChunk },
): Promise<ChatReply | undefined> {
  const message: Whole = { content: '', refusal: '', images: [], tool_calls: [] };
  let billed: Pick<z.infer<typeof Chunk>, 'usage' | 'model' | 'service_tier'> = {};
  let finish: string | undefined;
  let onHeaders = false;
  for await (const each of chunks) {
    const { data } = Chunk.safeParse(each);
    if (data === undefined) return undefined;
    // Some servers send null in all chunks but the last one.
    billed = {
      usage: data.usage ?? billed.usage,
      model: data.model ?? billed.model,
      service_tier: data.service_tier ?? billed.service_tier,
    };
    const [choice] = data.choices;
    if (choice === undefined) continue;
    onHeaders = true;
    finish = choice.finish_reason ?? finish;
    if (choice.delta) add(message, choice.delta, tell);
  }
  if (!onHeaders) return undefined;
  if (finish === undefined) throw connectionLost(model);
  const { content, refusal, images, tool_calls } = message;
  const whole = { content: content || null, refusal: refusal || null, images, tool_calls };
  return openaiReply({ choices: [{ finish_reason: finish, message: whole }], ...billed });
}

function add(message: Whole, delta: Delta, tell: EmitChunk): void {
  const { content, refusal, images, tool_calls } = delta;
  for (const image of images ?? []) message.images.push(image);
  if (content) {
    message.content += content;
    tell(content);
  }
  if (refusal) message.refusal += refusal;
  for (const { index, id, function: part } of tool_calls ?? []) {
    // Some servers send whole calls without their index.
    const last = message.tool_calls.length - 1;
    const at = index ?? (id && id !== message.tool_calls[last]?.id ? last + 1 : Math.max(last, 0));
    const call = message.tool_calls[at] ?? { id: '', function: { name: '', arguments: '' } };
    message.tool_calls[at] = call;
    call.id ||= id ?? '';
    call.function.name ||= part?.name ?? '';
    call.function.arguments += part?.arguments ?? '';
  }
}
