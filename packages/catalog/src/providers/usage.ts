import type { Usage } from '@millrace/core';
import { z } from 'zod';
import { boundedList } from '../model-calls/bounded-list.ts';
import { reportedCount, reportedDollars } from '../model-calls/reported-usage.ts';

/*
 * Reading of the usage in replies, one function for each API. What is billed apart is kept: parts of the prompt and of the
 * answer, requests to tools of the provider, the tier and the region, and the model that answered. A part that is 0 is
 * left out. A reply without whole numbers of tokens has no usage, so the call is charged its worst case.
 */

/** Part of the tokens; a server that reports something else reports none. */
const part = reportedCount.nullish().catch(null);
const word = z.string().max(200).nullish().catch(null);
const details = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).nullish().catch(null);

type Parts = Omit<Usage, 'promptTokens' | 'completionTokens'>;
/** Parts of a usage as replies have them: absent, null or 0 where there are none. */
type Found = { readonly [Field in keyof Parts]?: Parts[Field] | null | undefined };

/** Returns a usage without the parts that are absent or 0. */
const usageOf = (promptTokens: number, completionTokens: number, found: Found): Usage => ({
  promptTokens,
  completionTokens,
  ...Object.fromEntries(Object.entries(found).filter(([, value]) => value != null && value !== 0)),
});

/** Returns the requests to tools of the provider, by tool. */
const requestsOf = (counts: Readonly<Record<string, number | null | undefined>>): Pick<Found, 'requests'> => {
  const made = Object.entries(counts).flatMap(([tool, count]) => (count ? [[tool, count] as const] : []));
  return made.length === 0 ? {} : { requests: Object.fromEntries(made) };
};

/** Returns a word in lower case, unless it is one of those that are not billed apart. */
const unlessUsual = (found: string | null | undefined, ...usual: readonly string[]): string | undefined => {
  const lower = found?.toLowerCase();
  return lower === undefined || lower === '' || usual.includes(lower) ? undefined : lower;
};

const ChatUsage = z.object({
  model: word,
  service_tier: word,
  usage: z.object({
    prompt_tokens: reportedCount,
    completion_tokens: reportedCount,
    prompt_tokens_details: details({
      cached_tokens: part,
      cache_write_tokens: part,
      audio_tokens: part,
      image_tokens: part,
    }),
    completion_tokens_details: details({ reasoning_tokens: part, audio_tokens: part, image_tokens: part }),
    cost: reportedDollars.nullish().catch(null),
  }),
});

/** Returns the usage in a chat completion, or in a chunk that has it; undefined if there is none. */
export function chatUsage(completion: unknown): Usage | undefined {
  const { data } = ChatUsage.safeParse(completion);
  if (data === undefined) return undefined;
  const { prompt_tokens, completion_tokens, cost, ...of } = data.usage;
  const { prompt_tokens_details: prompt, completion_tokens_details: answer } = of;
  return {
    ...usageOf(prompt_tokens, completion_tokens, {
      cachedTokens: prompt?.cached_tokens,
      cacheWriteTokens: prompt?.cache_write_tokens,
      audioPromptTokens: prompt?.audio_tokens,
      imagePromptTokens: prompt?.image_tokens,
      reasoningTokens: answer?.reasoning_tokens,
      audioCompletionTokens: answer?.audio_tokens,
      imageCompletionTokens: answer?.image_tokens,
      tier: unlessUsual(data.service_tier, 'default', 'auto', 'standard'),
      model: data.model,
    }),
    ...(cost == null ? {} : { microUsd: Math.ceil(Number((cost * 1e6).toFixed(6))), rates: 'reported' }),
  };
}

const ResponsesUsage = z.object({
  model: word,
  service_tier: word,
  output: boundedList(z.object({ type: z.string(), action: details({ type: word }) })).catch([]),
  usage: z.object({
    input_tokens: reportedCount,
    output_tokens: reportedCount,
    input_tokens_details: details({
      cached_tokens: part,
      cache_write_tokens: part,
      cache_write_tokens_details: details({ ttl_12h_tokens: part }),
    }),
    output_tokens_details: details({ reasoning_tokens: part }),
  }),
});

/** Returns the usage in a response of the Responses API; undefined if there is none. */
export function responsesUsage(response: unknown): Usage | undefined {
  const { data } = ResponsesUsage.safeParse(response);
  if (data === undefined) return undefined;
  const { input_tokens, output_tokens, input_tokens_details: prompt, output_tokens_details: answer } = data.usage;
  // To open a page that a search has found costs nothing.
  const searches = data.output.filter(
    ({ type, action }) => type === 'web_search_call' && (action?.type ?? 'search') === 'search',
  );
  const callsOf = (kind: string) => data.output.filter(({ type }) => type === kind).length;
  return usageOf(input_tokens, output_tokens, {
    cachedTokens: prompt?.cached_tokens,
    cacheWriteTokens: prompt?.cache_write_tokens,
    cacheWriteLongTokens: prompt?.cache_write_tokens_details?.ttl_12h_tokens,
    reasoningTokens: answer?.reasoning_tokens,
    ...requestsOf({
      web_search: searches.length,
      file_search: callsOf('file_search_call'),
      code_interpreter: callsOf('code_interpreter_call'),
    }),
    tier: unlessUsual(data.service_tier, 'default', 'auto', 'standard'),
    model: data.model,
  });
}

const AnthropicUsage = z.object({
  model: word,
  usage: z.object({
    input_tokens: reportedCount,
    output_tokens: reportedCount,
    cache_read_input_tokens: part,
    cache_creation_input_tokens: part,
    cache_creation: details({ ephemeral_5m_input_tokens: part, ephemeral_1h_input_tokens: part }),
    output_tokens_details: details({ thinking_tokens: part }),
    server_tool_use: details({ web_search_requests: part }),
    service_tier: word,
    speed: word,
    inference_geo: word,
  }),
});

/** Returns the usage in a message; undefined if there is none. The API counts cached tokens apart from the others. */
export function anthropicUsage(message: unknown): Usage | undefined {
  const { data } = AnthropicUsage.safeParse(message);
  if (data === undefined) return undefined;
  const { input_tokens, output_tokens, cache_creation: lifetimes, ...of } = data.usage;
  const cached = of.cache_read_input_tokens ?? 0;
  const long = lifetimes?.ephemeral_1h_input_tokens ?? 0;
  const written = of.cache_creation_input_tokens ?? (lifetimes?.ephemeral_5m_input_tokens ?? 0) + long;
  return usageOf(input_tokens + cached + written, output_tokens, {
    cachedTokens: cached,
    cacheWriteTokens: written,
    cacheWriteLongTokens: long,
    reasoningTokens: of.output_tokens_details?.thinking_tokens,
    ...requestsOf({ web_search: of.server_tool_use?.web_search_requests }),
    tier: unlessUsual(of.speed, 'standard') ?? unlessUsual(of.service_tier, 'standard'),
    region: unlessUsual(of.inference_geo, 'global', 'not_available'),
    model: data.model,
  });
}

const modalities = boundedList(z.object({ modality: z.string(), tokenCount: part }))
  .nullish()
  .catch(null);

const GeminiUsage = z.object({
  promptTokenCount: reportedCount.default(0),
  toolUsePromptTokenCount: part,
  candidatesTokenCount: part,
  thoughtsTokenCount: part,
  cachedContentTokenCount: part,
  promptTokensDetails: modalities,
  toolUsePromptTokensDetails: modalities,
  candidatesTokensDetails: modalities,
  trafficType: word,
});

const GeminiChunk = z.object({
  modelVersion: word,
  usageMetadata: GeminiUsage.nullish().catch(null),
  candidates: boundedList(
    z.object({ groundingMetadata: details({ webSearchQueries: z.array(z.unknown()).nullish() }) }),
  )
    .nullish()
    .catch(null),
});

const trafficTiers: Readonly<Record<string, string>> = {
  on_demand_flex: 'flex',
  on_demand_priority: 'priority',
};

/** Returns the usage in the chunks of a response, each of which reports it as of then; undefined if none does. */
export function geminiUsage(answers: readonly unknown[]): Usage | undefined {
  const chunks = answers.flatMap((answer) => GeminiChunk.safeParse(answer).data ?? []);
  const found = chunks.findLast(({ usageMetadata }) => usageMetadata != null)?.usageMetadata;
  if (found == null) return undefined;
  const thoughts = found.thoughtsTokenCount ?? 0;
  const traffic = unlessUsual(found.trafficType, 'on_demand', 'traffic_type_unspecified');
  const ofPrompt = [...(found.promptTokensDetails ?? []), ...(found.toolUsePromptTokensDetails ?? [])];
  const ofAnswer = found.candidatesTokensDetails ?? [];
  const searches = chunks.map(({ candidates }) => candidates?.[0]?.groundingMetadata?.webSearchQueries?.length ?? 0);
  return usageOf(
    found.promptTokenCount + (found.toolUsePromptTokenCount ?? 0),
    (found.candidatesTokenCount ?? 0) + thoughts,
    {
      cachedTokens: found.cachedContentTokenCount,
      reasoningTokens: thoughts,
      audioPromptTokens: tokensOfModality(ofPrompt, 'AUDIO'),
      imagePromptTokens: tokensOfModality(ofPrompt, 'IMAGE'),
      audioCompletionTokens: tokensOfModality(ofAnswer, 'AUDIO'),
      imageCompletionTokens: tokensOfModality(ofAnswer, 'IMAGE'),
      ...requestsOf({ web_search: Math.max(...searches) }),
      tier: traffic === undefined ? undefined : (trafficTiers[traffic] ?? traffic),
      model: chunks.findLast(({ modelVersion }) => modelVersion != null)?.modelVersion,
    },
  );
}

const tokensOfModality = (
  details: readonly { readonly modality: string; readonly tokenCount?: number | null | undefined }[],
  modality: string,
): number =>
  details.reduce((sum, one) => sum + (one.modality.toUpperCase() === modality ? (one.tokenCount ?? 0) : 0), 0);
