import { createHash } from 'node:crypto';
import type { ChatReply, ReplyEnd, ToolCall } from '@millrace/core';
import { defineProvider, omitUndefined } from '@millrace/core';
import { z } from 'zod';
import { boundedList } from '../model-calls/bounded-list.ts';
import { mediaBlock } from '../model-calls/content.ts';
import type { ModelCallContext } from '../model-calls/model-call.ts';
import { callModel, connectionLost } from '../model-calls/model-call.ts';
import { geminiConfig, geminiContents } from './gemini-request.ts';
import { loadSdk } from './sdk.ts';
import type { PreparedRequest } from './send-with-additions.ts';
import { sendWithAdditions } from './send-with-additions.ts';
import { geminiUsage } from './usage.ts';

/** Provider of Google's models over the Gemini API, and of compatible servers (`base_url`). */
export const gemini = defineProvider({
  type: 'gemini',
  summary: "Google's models over the Gemini API, or any server with the same API.",
  keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  addressVariable: 'GOOGLE_GEMINI_BASE_URL',
  async chat(request, call) {
    const sdk = await loadSdk('gemini', () => import('@google/genai'));
    return callModel(request, call, {
      keyVariable: 'GEMINI_API_KEY',
      api: 'Gemini-compatible',
      ask: (own, context) => sendWithAdditions(own, { ...call, ...context }, (prepared) => ask(sdk, prepared, context)),
    });
  },
});

async function ask(
  { GoogleGenAI }: typeof import('@google/genai'),
  prepared: PreparedRequest,
  { apiKey, signal, fetch, emit }: ModelCallContext,
): Promise<ChatReply | undefined> {
  const { request } = prepared;
  const { baseUrl, model } = request;
  const ai = new GoogleGenAI({
    apiKey,
    // The SDK would otherwise select another service from the environment.
    vertexai: false,
    httpOptions: omitUndefined({ fetch, baseUrl }),
  });
  const asked = {
    model,
    contents: geminiContents(request, prepared.profile),
    config: { ...geminiConfig(prepared), abortSignal: signal },
  };
  if (emit === undefined) return geminiReply([await ai.models.generateContent(asked)], model);
  const chunks: unknown[] = [];
  for await (const chunk of await ai.models.generateContentStream(asked)) {
    const said = answerText(chunk);
    if (said === undefined) return undefined;
    emit(said);
    chunks.push(chunk);
  }
  return geminiReply(chunks, model);
}

const text = z.string();

const Part = z.object({
  text: text.nullish(),
  thought: z.boolean().nullish(),
  thoughtSignature: text.nullish(),
  inlineData: z.object({ mimeType: text.nullish(), data: text }).nullish(),
  functionCall: z.object({ id: text.nullish(), name: text, args: z.record(text, z.unknown()).nullish() }).nullish(),
});
type Part = z.infer<typeof Part>;

const Chunk = z.object({
  candidates: boundedList(
    z.object({ content: z.object({ parts: boundedList(Part).nullish() }).nullish(), finishReason: text.nullish() }),
  ).nullish(),
  promptFeedback: z.object({ blockReason: text.nullish() }).nullish(),
});
type Chunk = z.infer<typeof Chunk>;

const partsOf = ({ candidates }: Chunk): readonly Part[] => candidates?.[0]?.content?.parts ?? [];
/** Returns the text of the answer, without the model's thoughts. */
const textOf = (parts: readonly Part[]): string =>
  parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join('');

/** Returns the text of a chunk; undefined if it is invalid. */
function answerText(chunk: unknown): string | undefined {
  const { data } = Chunk.safeParse(chunk);
  return data && textOf(partsOf(data));
}

/** Ends by the finish reasons of the API. */
const ends = new Map<string, ReplyEnd>(
  Object.entries({
    STOP: 'stop',
    MAX_TOKENS: 'length',
    SAFETY: 'filter',
    RECITATION: 'filter',
    LANGUAGE: 'filter',
    BLOCKLIST: 'filter',
    PROHIBITED_CONTENT: 'filter',
    SPII: 'filter',
    MALFORMED_FUNCTION_CALL: 'malformed',
    UNEXPECTED_TOOL_CALL: 'malformed',
    TOO_MANY_TOOL_CALLS: 'malformed',
  }),
);

function endOf(reason: string, hasCalls: boolean): ReplyEnd {
  const end = ends.get(reason) ?? (reason.startsWith('IMAGE_') ? 'filter' : 'unknown');
  return hasCalls && end === 'stop' ? 'calls' : end;
}

/** Returns the reply in the chunks of a response; undefined if they are invalid. A prompt may be refused as a whole. */
export function geminiReply(answers: readonly unknown[], model: string): ChatReply | undefined {
  const read = z.array(Chunk).safeParse(answers);
  if (!read.success) return undefined;
  const chunks = read.data;
  const blocked = chunks.map(({ promptFeedback }) => promptFeedback?.blockReason).find((reason) => reason != null);
  const usage = geminiUsage(answers);
  if (blocked != null)
    return { text: '', end: 'filter', ...(usage === undefined ? {} : { usage }), finishReason: blocked };
  if (!chunks.some(({ candidates }) => candidates?.[0] !== undefined)) return undefined;
  const finishReason = chunks
    .map(({ candidates }) => candidates?.[0]?.finishReason)
    .findLast((reason) => reason != null);
  if (finishReason == null) throw connectionLost(model);
  const parts = chunks.flatMap(partsOf);
  const calls = parts.flatMap((part) => (part.functionCall == null ? [] : [part])).map(callOf);
  const media = parts.flatMap(({ thought, inlineData }) =>
    thought || inlineData == null
      ? []
      : [mediaBlock({ mimeType: inlineData.mimeType ?? 'application/octet-stream', base64: inlineData.data })],
  );
  const thoughts = parts.map((part) => (part.thought ? (part.text ?? '') : '')).join('');
  return {
    text: textOf(parts),
    end: endOf(finishReason, calls.length > 0),
    ...(thoughts === '' ? {} : { thoughts }),
    ...(media.length === 0 ? {} : { blocks: media }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(usage === undefined ? {} : { usage }),
    finishReason,
  };
}

/** Returns a call. Google gives it no id, so the id is made of its name, its arguments and its position. */
function callOf({ functionCall, thoughtSignature }: Part, at: number): ToolCall {
  const name = functionCall?.name ?? '';
  const written = JSON.stringify(functionCall?.args ?? {});
  const digest = createHash('md5').update(`${at}:${name}:${written}`).digest('hex').slice(0, 8);
  const call = { id: functionCall?.id ?? `${name}_${digest}`, name, arguments: written };
  return thoughtSignature == null ? call : { ...call, opaque: thoughtSignature };
}
