import type { ChatMessage, ChatReply, ChatRequest, ProviderDefinition } from '@millrace/core';
import { startFakeProvider } from '../../../test/support/provider/provider.ts';
import { retryPolicyOf } from '../src/nodes/retry-config.ts';
import { profileOf } from './profile-of.ts';
import { realSleep } from './real-sleep.ts';

/** Response of the server: events of a stream, or a status with an error. */
export type PreparedResponse = readonly object[] | { readonly status: number; readonly message: string };

/** Server with prepared responses, which records the requests. */
export interface SpeakingServer {
  readonly bodies: readonly Record<string, unknown>[];
  /** Sets the responses to the next requests, one after the other; the last one is repeated. */
  say(...responses: readonly PreparedResponse[]): void;
  ask(
    provider: ProviderDefinition,
    messages: readonly ChatMessage[],
    params?: ChatRequest['params'],
  ): Promise<ChatReply>;
  close(): Promise<void>;
}

/** Starts a model provider that says what is prepared. */
export async function startSpeakingServer(): Promise<SpeakingServer> {
  let next: PreparedResponse[] = [];
  const provider = await startFakeProvider({
    reply() {
      const prepared = (next.length > 1 ? next.shift() : next[0]) ?? [];
      return 'status' in prepared
        ? { refuse: prepared.status, message: prepared.message }
        : { events: prepared.map((event) => ({ ...event })) };
    },
  });
  const baseUrl = `${provider.url}/ok`;
  return {
    get bodies() {
      return provider.requests.map(({ body }) => body);
    },
    say(...responses) {
      next = [...responses];
    },
    ask(provider, messages, params = {}) {
      const request = {
        provider: 'p',
        model: 'm',
        baseUrl,
        apiKey: 'sk-secret',
        messages,
        params,
        retry: retryPolicyOf(undefined),
      };
      return provider.chat(request, {
        signal: new AbortController().signal,
        fetch,
        counts: {},
        profile: profileOf(request),
        emit: () => undefined,
        sleep: realSleep,
      });
    },
    close: () => provider.close(),
  };
}

/** Message of a user. */
export const user: ChatMessage = { role: 'user', content: 'go' };
/** The conversation after a reply that asked for a tool. */
export const back = (reply: ChatReply, result: string): readonly ChatMessage[] => [
  user,
  { role: 'assistant', content: reply.text, ...(reply.toolCalls === undefined ? {} : { toolCalls: reply.toolCalls }) },
  { role: 'tool', content: result, toolCallId: reply.toolCalls?.[0]?.id ?? '' },
];
/** Message of a user with a picture and a file. */
export const picture: ChatMessage = {
  role: 'user',
  content: [
    { type: 'text', text: 'look' },
    { type: 'image', attachment: { id: '1', name: 'c.png', mimeType: 'image/png', uri: 'data:image/png;base64,AAAA' } },
    {
      type: 'file',
      attachment: { id: '2', name: 'd.pdf', mimeType: 'application/pdf', uri: 'data:application/pdf;base64,BBBB' },
    },
  ],
};
