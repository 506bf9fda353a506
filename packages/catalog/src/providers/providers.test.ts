import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { LLMock } from '@copilotkit/aimock';
import type { ChatRequest, ProviderDefinition } from '@millrace/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { profileOf } from '../../test-support/profile-of.ts';
import { ModelError } from '../model-calls/model-error.ts';
import { retryPolicyOf } from '../nodes/retry-config.ts';
import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';
import { openai } from './openai.ts';

interface ProviderCase {
  readonly name: string;
  readonly provider: ProviderDefinition;
  readonly params: Readonly<Record<string, unknown>>;
  readonly path: string;
  /** Events of a reply that says "Hello" and then breaks off. */
  readonly half: string;
  readonly whole: unknown;
}

const event = (data: unknown, name?: string) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

const providerCases: readonly ProviderCase[] = [
  {
    name: 'openai, chat completions',
    provider: openai,
    params: {},
    path: '/v1',
    half: event({ choices: [{ index: 0, delta: { content: 'Hello' } }] }),
    whole: { choices: [{ finish_reason: 'stop', message: { content: 'Hello' } }] },
  },
  {
    name: 'openai, responses',
    provider: openai,
    params: { protocol: 'responses' },
    path: '/v1',
    half: event({ type: 'response.output_text.delta', delta: 'Hello' }, 'response.output_text.delta'),
    whole: { status: 'completed', output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }] },
  },
  {
    name: 'anthropic',
    provider: anthropic,
    params: {},
    path: '',
    half:
      event(
        {
          type: 'message_start',
          message: {
            id: 'm',
            type: 'message',
            role: 'assistant',
            content: [],
            stop_reason: null,
            usage: { input_tokens: 1, output_tokens: 0 },
          },
        },
        'message_start',
      ) +
      event(
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        'content_block_start',
      ) +
      event(
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
        'content_block_delta',
      ),
    whole: { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hello' }], stop_reason: 'end_turn' },
  },
  {
    name: 'gemini',
    provider: gemini,
    params: {},
    path: '',
    half: event({ candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] } }] }),
    whole: { candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }] },
  },
];

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;
let answer: Answer = () => undefined;
let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  void answer(request, response);
});
const mock = new LLMock({ port: 0 });
let url = '';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address of this shape.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  mock.onMessage('hello', { content: 'Hi there, how are you?' });
  mock.onMessage('add', { toolCalls: [{ name: 'add', arguments: '{"a":1,"b":2}' }] });
  await mock.start();
});
afterAll(async () => {
  await mock.stop();
  server.closeAllConnections();
  server.close();
});

const tools = [{ name: 'add', description: 'Adds.', parameters: { type: 'object', properties: {} } }];

function requestOf({ params, path }: ProviderCase, more: Partial<ChatRequest> = {}, at = url): ChatRequest {
  const messages = [{ role: 'user' as const, content: 'hello' }];
  return {
    provider: 'p',
    model: 'model-1',
    baseUrl: `${at}${path}`,
    apiKey: 'sk-very-secret',
    messages,
    retry: retryPolicyOf(undefined),
    ...more,
    params: { ...params, ...more.params },
  };
}

/** One call, and what was reported meanwhile; `whole` asks for the reply in one piece. */
async function call(one: ProviderCase, more: Partial<ChatRequest> = {}, { at = url, whole = false } = {}) {
  const emitted: string[] = [];
  const tell = (piece: string) => void emitted.push(piece);
  const { signal } = new AbortController();
  const request = requestOf(one, more, at);
  const reply = await one.provider.chat(request, {
    signal,
    fetch,
    counts: {},
    profile: profileOf(request),
    ...(whole ? {} : { tell }),
  });
  return { reply, emitted };
}

async function failure(calling: Promise<unknown>): Promise<ModelError> {
  const error = await calling.then(
    (value) => value,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ModelError))
    throw new Error(`expected a ModelError, got ${JSON.stringify(error)} ${String(error)}`);
  return error;
}

const giving =
  (status: number, body: string, headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };

describe.each(providerCases)('$name', (one) => {
  it('streams the reply in parts and returns all of it', async () => {
    const { reply, emitted } = await call(one, {}, { at: mock.url });

    expect(reply).toMatchObject({ text: 'Hi there, how are you?' });
    expect(reply.usage?.completionTokens).toBeGreaterThanOrEqual(0);
    expect(emitted.join('')).toBe(reply.text);
  });

  it('requests tool calls, and sends their results', async () => {
    const { reply } = await call(one, { tools, messages: [{ role: 'user', content: 'add' }] }, { at: mock.url });
    const [asked] = reply.toolCalls ?? [];
    expect(asked).toMatchObject({ name: 'add' });
    expect(JSON.parse(asked?.arguments ?? '')).toEqual({ a: 1, b: 2 });

    let body = '';
    answer = async (request, response) => {
      body = await text(request);
      giving(200, JSON.stringify(one.whole))(request, response);
    };
    const toolCallId = asked?.id ?? '';
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'add' },
      { role: 'assistant', content: '', toolCalls: asked === undefined ? [] : [asked] },
      { role: 'tool', content: 'it is three', toolCallId },
    ];
    const { reply: after } = await call(one, { tools, messages }, { whole: true });
    expect(after.text).toBe('Hello');
    for (const part of ['Be kind.', 'it is three', 'add']) expect(body).toContain(part);
  });

  it('does not stream where no client is watching, or the workflow disables it', async () => {
    let body = '';
    answer = async (request, response) => {
      body = `${request.url} ${await text(request)}`;
      giving(200, JSON.stringify(one.whole))(request, response);
    };
    expect((await call(one, {}, { whole: true })).reply.text).toBe('Hello');
    expect((await call(one, { params: { stream: false } })).reply.text).toBe('Hello');
    expect(body).not.toContain('tream');
  });

  it.each([
    [400, 'MODEL_BAD_REQUEST', false],
    [401, 'MODEL_AUTH', false],
    [403, 'MODEL_AUTH', false],
    [404, 'MODEL_NOT_FOUND', false],
    [429, 'MODEL_RATE_LIMITED', true],
    [503, 'MODEL_SERVER_ERROR', true],
  ])(
    'reports the status %d with its own code, after one request and without the key, and obeys Retry-After',
    async (status, code, transient) => {
      requests = 0;
      const body = JSON.stringify({ error: { message: 'wrong sk-very-secret here', type: 'e', code: status } });
      answer = giving(status, body, { 'retry-after': '7' });

      const error = await failure(call(one));

      expect(error).toMatchObject({ code, transient, status, retryAfterSeconds: 7 });
      expect(error.types).toContain('APIError');
      expect(error.message).not.toContain('very-secret');
      expect(requests).toBe(1);
    },
  );

  it('refuses an incomplete reply', async () => {
    answer = giving(200, one.half, { 'content-type': 'text/event-stream' });

    expect(await failure(call(one))).toMatchObject({ code: 'MODEL_UNREACHABLE', transient: true });
  });

  it('reports that the server cannot be reached, or closes the connection in the middle', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo; // as above
    await new Promise((done) => closed.close(done));
    expect(await failure(call(one, {}, { at: `http://127.0.0.1:${port}` }))).toMatchObject({
      code: 'MODEL_UNREACHABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(one.half, () => response.destroy());
    };
    expect(await failure(call(one))).toMatchObject({ code: 'MODEL_UNREACHABLE', transient: true });
  });

  it.each(['<html>', '{"choices":', '[]', '{}', 'null'])('refuses %s as a reply', async (body) => {
    answer = giving(200, body);

    expect(await failure(call(one, {}, { whole: true }))).toMatchObject({ code: 'MODEL_BAD_REPLY' });
  });

  it('times out', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(one.half);
    };

    expect(await failure(call(one, { params: { timeout: 0.1 } }))).toMatchObject({ code: 'MODEL_TIMEOUT' });
  });

  it('requires a key for the default address, and none for another one', async () => {
    const { apiKey: _key, baseUrl: _url, ...keyless } = requestOf(one);
    const { signal } = new AbortController();
    const context = { signal, fetch, counts: {}, profile: profileOf(keyless) };
    expect(await failure(one.provider.chat(keyless, context))).toMatchObject({
      code: 'MODEL_AUTH',
      message: expect.stringContaining(one.provider.keyVariables?.[0] ?? '?'),
    });
    answer = giving(200, JSON.stringify(one.whole));
    const reply = await one.provider.chat({ ...keyless, baseUrl: `${url}${one.path}` }, context);
    expect(reply.text).toBe('Hello');
  });
});
