import type { ServerResponse } from 'node:http';
import type { ChatRequest, ProviderDefinition } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../../../test/support/fixtures.ts';
import { startFakeProvider } from '../../../../test/support/provider/provider.ts';
import type { Reply } from '../../../../test/support/provider/reply.ts';
import { lastText } from '../../../../test/support/provider/turn.ts';
import { freePort } from '../../../../test/support/redis/free-port.ts';
import { profileOf } from '../../test-support/profile-of.ts';
import { realSleep } from '../../test-support/real-sleep.ts';
import { ModelError } from '../model-calls/model-error.ts';
import { retryPolicyOf } from '../nodes/retry-config.ts';
import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';
import { openai } from './openai/openai.ts';

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

/** Reply of the server; without one it calls the function "add" if it is told so, and otherwise greets. */
let answer: Reply | undefined;
const server = openBeforeAll(() =>
  startFakeProvider({
    reply(turn) {
      if (answer !== undefined) return answer;
      const call = { name: 'add', arguments: { a: 1, b: 2 } };
      return lastText(turn) === 'add' ? { calls: [call] } : 'Hi there, how are you?';
    },
  }),
);

const tools = [{ name: 'add', description: 'Adds.', parameters: { type: 'object', properties: {} } }];

function requestOf({ params, path }: ProviderCase, more: Partial<ChatRequest> = {}, at = server.url): ChatRequest {
  const messages = [{ role: 'user' as const, content: 'hello' }];
  return {
    provider: 'p',
    model: 'model-1',
    baseUrl: `${at}/ok${path}`,
    apiKey: 'sk-very-secret',
    messages,
    retry: retryPolicyOf(undefined),
    ...more,
    params: { ...params, ...more.params },
  };
}

/** One call, and what was reported meanwhile; `whole` asks for the reply in one piece. */
async function call(one: ProviderCase, more: Partial<ChatRequest> = {}, { at = server.url, whole = false } = {}) {
  const emitted: string[] = [];
  const emit = (piece: string) => void emitted.push(piece);
  const { signal } = new AbortController();
  const request = requestOf(one, more, at);
  const reply = await one.provider.chat(request, {
    signal,
    fetch,
    counts: {},
    profile: profileOf(request),
    sleep: realSleep,
    ...(whole ? {} : { emit }),
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

const giving = (status: number, body: string, headers: Record<string, string> = {}): Reply => ({
  status,
  body,
  headers,
});
/** Begins a stream, and does something afterwards. */
const beginning = (half: string, then: (outgoing: ServerResponse) => unknown = () => undefined): Reply => ({
  respond: (outgoing) =>
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).write(half, () => then(outgoing)),
});

describe.each(providerCases)('$name', (one) => {
  it('streams the reply in parts and returns all of it', async () => {
    answer = undefined;
    const { reply, emitted } = await call(one);

    expect(reply).toMatchObject({ text: 'Hi there, how are you?' });
    expect(reply.usage?.completionTokens).toBeGreaterThanOrEqual(0);
    expect(emitted.join('')).toBe(reply.text);
  });

  it('requests tool calls, and sends their results', async () => {
    answer = undefined;
    const { reply } = await call(one, { tools, messages: [{ role: 'user', content: 'add' }] });
    const [asked] = reply.toolCalls ?? [];
    expect(asked).toMatchObject({ name: 'add' });
    expect(JSON.parse(asked?.arguments ?? '')).toEqual({ a: 1, b: 2 });

    answer = giving(200, JSON.stringify(one.whole));
    const toolCallId = asked?.id ?? '';
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'add' },
      { role: 'assistant', content: '', toolCalls: asked === undefined ? [] : [asked] },
      { role: 'tool', content: 'it is three', toolCallId },
    ];
    const { reply: after } = await call(one, { tools, messages }, { whole: true });
    expect(after.text).toBe('Hello');
    const body = JSON.stringify(server.requests.at(-1)?.body);
    for (const part of ['Be kind.', 'it is three', 'add']) expect(body).toContain(part);
  });

  it('does not stream where no client is watching, or the workflow disables it', async () => {
    answer = giving(200, JSON.stringify(one.whole));
    expect((await call(one, {}, { whole: true })).reply.text).toBe('Hello');
    expect((await call(one, { params: { stream: false } })).reply.text).toBe('Hello');
    const { path, body } = server.requests.at(-1) ?? {};
    expect(`${path} ${JSON.stringify(body)}`).not.toContain('tream');
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
      const before = server.requests.length;
      const body = JSON.stringify({ error: { message: 'wrong sk-very-secret here', type: 'e', code: status } });
      answer = giving(status, body, { 'retry-after': '7' });

      const error = await failure(call(one));

      expect(error).toMatchObject({ code, transient, status, retryAfterSeconds: 7 });
      expect(error.types).toContain('APIError');
      expect(error.message).not.toContain('very-secret');
      expect(server.requests).toHaveLength(before + 1);
    },
  );

  it('refuses an incomplete reply', async () => {
    answer = giving(200, one.half, { 'content-type': 'text/event-stream' });

    expect(await failure(call(one))).toMatchObject({ code: 'MODEL_UNREACHABLE', transient: true });
  });

  it('reports that the server cannot be reached, or closes the connection in the middle', async () => {
    expect(await failure(call(one, {}, { at: `http://127.0.0.1:${await freePort()}` }))).toMatchObject({
      code: 'MODEL_UNREACHABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    answer = beginning(one.half, (outgoing) => outgoing.destroy());
    expect(await failure(call(one))).toMatchObject({ code: 'MODEL_UNREACHABLE', transient: true });
  });

  it.each(['<html>', '{"choices":', '[]', '{}', 'null'])('refuses %s as a reply', async (body) => {
    answer = giving(200, body);

    expect(await failure(call(one, {}, { whole: true }))).toMatchObject({ code: 'MODEL_BAD_REPLY' });
  });

  it('times out', async () => {
    answer = beginning(one.half);

    expect(await failure(call(one, { params: { timeout: 0.1 } }))).toMatchObject({ code: 'MODEL_TIMEOUT' });
  });

  it('requires a key for the default address, and none for another one', async () => {
    const { apiKey: _key, baseUrl: _url, ...keyless } = requestOf(one);
    const { signal } = new AbortController();
    const context = { signal, fetch, counts: {}, profile: profileOf(keyless), sleep: realSleep };
    expect(await failure(one.provider.chat(keyless, context))).toMatchObject({
      code: 'MODEL_AUTH',
      message: expect.stringContaining(one.provider.keyVariables?.[0] ?? '?'),
    });
    answer = giving(200, JSON.stringify(one.whole));
    const reply = await one.provider.chat({ ...keyless, baseUrl: `${server.url}/ok${one.path}` }, context);
    expect(reply.text).toBe('Hello');
  });
});

it.each([
  [{ http_options: { retry_options: { attempts: 3 } } }, 'retryOptions'],
  [{ httpOptions: { baseUrl: 'http://elsewhere' } }, 'baseUrl'],
])('gemini refuses options of its SDK for repeated calls and addresses, as %j', async (params, refused) => {
  const [one] = providerCases.filter(({ provider }) => provider === gemini);
  if (one === undefined) throw new Error('there is no case of gemini');
  const { code, message } = await failure(call(one, { params }));

  expect([code, message]).toEqual(['MODEL_BAD_REQUEST', expect.stringContaining(refused)]);
});
