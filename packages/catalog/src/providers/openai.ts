import type { ChatReply, ChatRequest, ProviderCall } from '@millrace/core';
import { defineProvider } from '@millrace/core';
import { ModelError } from './model-error.ts';
import { openaiError } from './openai-error.ts';
import { openaiReply } from './openai-reply.ts';
import { openaiRequest } from './openai-request.ts';

/** OpenAI's chat completions, and every server that speaks the same API (`base_url`). */
export const openai = defineProvider({
  type: 'openai',
  summary: 'OpenAI, or any server with the same chat completions API.',
  chat,
});

async function chat(request: ChatRequest, { signal }: ProviderCall): Promise<ChatReply> {
  signal.throwIfAborted();
  const { body, timeoutMs, headers, query } = openaiRequest(request);
  // The SDK's own timeout ends when the headers are there; this one covers the body too.
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const client = await openClient(request);
    const completion: unknown = await client.chat.completions.create(body, {
      signal: AbortSignal.any([signal, deadline]),
      timeout: timeoutMs,
      headers,
      query,
    });
    const reply = openaiReply(completion);
    if (reply !== undefined) return reply;
  } catch (error) {
    signal.throwIfAborted();
    throw openaiError(error, request, deadline.aborted ? timeoutMs : undefined);
  }
  const message = `The model "${request.model}" answered with something that is not a chat completion. Check that \`base_url\` names an OpenAI-compatible API, usually ending in /v1.`;
  throw new ModelError('MODEL_BAD_REPLY', message, { type: 'APIResponseValidationError' });
}

async function openClient({ apiKey, baseUrl }: ChatRequest) {
  const { OpenAI } = await import('openai');
  return new OpenAI({
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    // Retries are the agent's own policy.
    maxRetries: 0,
    logLevel: 'off',
  });
}
