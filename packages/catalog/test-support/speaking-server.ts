import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { ChatMessage, ChatReply, ChatRequest, ProviderDefinition } from '@millrace/core';
import { retryPolicyOf } from '../src/nodes/retry-config.ts';
import { profileOf } from './profile-of.ts';

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

/** Starts a server on this machine that streams. */
export async function startSpeakingServer(): Promise<SpeakingServer> {
  const bodies: Record<string, unknown>[] = [];
  let next: PreparedResponse[] = [];
  const server = createServer(async (request, response) => {
    bodies.push((await json(request)) as Record<string, unknown>); // as the SDKs send it
    const prepared = (next.length > 1 ? next.shift() : next[0]) ?? [];
    if ('status' in prepared) {
      response.writeHead(prepared.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: prepared.message } }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const each of prepared) {
      const type = 'type' in each ? `event: ${String(each.type)}\n` : '';
      response.write(`${type}data: ${JSON.stringify(each)}\n\n`);
    }
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address of this shape.
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    bodies,
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
        tell: () => undefined,
      });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
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
