import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LLMock } from '@copilotkit/aimock';
import type { ChatRequest } from '@millrace/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { profileOf } from '../../test-support/profile-of.ts';
import { ModelError } from '../model-calls/model-error.ts';
import { retryPolicyOf } from '../nodes/retry-config.ts';
import { openai } from './openai.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let answer: Answer = () => undefined;
const server = createServer((request, response) => answer(request, response));
let baseUrl = '';

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // A server that listens on a port has an address of this shape.
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const requestOf = (more: Partial<ChatRequest> = {}): ChatRequest => ({
  provider: 'openai',
  model: 'gpt-test',
  baseUrl,
  apiKey: 'sk-very-secret',
  messages: [{ role: 'user', content: 'hello' }],
  params: {},
  retry: retryPolicyOf(undefined),
  ...more,
});

const chat = (more?: Partial<ChatRequest>, signal = new AbortController().signal) => {
  const request = requestOf(more);
  return openai.chat(request, { signal, fetch, counts: {}, profile: profileOf(request) });
};

const reply =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

async function failure(call: Promise<unknown>): Promise<ModelError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ModelError)) throw new Error(`expected a ModelError, got ${String(error)}`);
  return error;
}

describe('the openai provider', () => {
  it('works with a server of another vendor', async () => {
    const mock = new LLMock({ port: 0 });
    mock.onMessage('hello', { content: 'Hi there!' });
    await mock.start();
    const answered = await chat({ baseUrl: `${mock.url}/v1` }).finally(() => mock.stop());
    expect(answered).toMatchObject({ text: 'Hi there!', finishReason: 'stop' });
  });

  it('sends the conversation, all params, and the key as a header', async () => {
    const received = { body: '', authorization: '', url: '' };
    answer = async (request, response) => {
      for await (const chunk of request) received.body += String(chunk);
      Object.assign(received, { authorization: request.headers.authorization, url: request.url });
      reply(200, { choices: [{ message: { content: 'ok' } }] })(request, response);
    };
    const params = {
      temperature: null,
      max_output_tokens: 9,
      foo: 1,
      timeout: 5,
      tool_loop_limit: 3,
      protocol: 'chat',
      extra_body: { bar: 2 },
    };
    await chat({ params });
    expect(received).toMatchObject({ authorization: 'Bearer sk-very-secret', url: '/v1/chat/completions' });
    expect(JSON.parse(received.body)).toEqual({
      model: 'gpt-test',
      messages: [{ role: 'user', content: 'hello' }],
      max_tokens: 9,
      foo: 1,
      bar: 2,
    });
  });

  it('reads text, tool calls and usage', async () => {
    answer = reply(200, {
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            content: null,
            tool_calls: [{ id: '', type: 'function', function: { name: 'add', arguments: '{}' } }],
          },
        },
      ],
      usage: { prompt_tokens: 4, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 1 } },
    });
    expect(await chat()).toEqual({
      text: '',
      toolCalls: [{ id: 'add_b78d50e7', name: 'add', arguments: '{}' }],
      usage: { promptTokens: 4, completionTokens: 2, cachedTokens: 1 },
      finishReason: 'tool_calls',
    });
  });

  it.each([
    [400, 'MODEL_BAD_REQUEST', false],
    [401, 'MODEL_AUTH', false],
    [403, 'MODEL_AUTH', false],
    [404, 'MODEL_NOT_FOUND', false],
    [422, 'MODEL_BAD_REQUEST', false],
    [429, 'MODEL_RATE_LIMITED', true],
    [503, 'MODEL_SERVER_ERROR', true],
  ])(
    'reports the status %d with its own code, after one request and without the key',
    async (status, code, transient) => {
      let requests = 0;
      answer = (request, response) => {
        requests += 1;
        reply(status, { error: { message: 'wrong key sk-very-secret here' } })(request, response);
      };
      const error = await failure(chat());
      expect(error).toMatchObject({ code, transient, status });
      expect(error.types).toContain('APIError');
      expect(error.message).not.toContain('very-secret');
      expect(requests).toBe(1);
    },
  );

  it('reports the message of the server', async () => {
    answer = reply(400, { error: { message: 'max_tokens is too large' } });
    expect((await failure(chat())).message).toMatch(
      /refused the request \(400\): max_tokens is too large\. Check `params`\.$/,
    );
  });

  it.each([
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after-ms': '1500', 'retry-after': '7' }, 1.5],
    [{ date: 'Wed, 21 Oct 2026 07:28:00 GMT', 'retry-after': 'Wed, 21 Oct 2026 07:28:20 GMT' }, 20],
    [{}, undefined],
  ])('reads how long to wait from %j', async (headers, seconds) => {
    answer = reply(429, {}, headers);
    expect((await failure(chat())).retryAfterSeconds).toBe(seconds);
  });

  it('reports that the server cannot be reached', async () => {
    const error = await failure(chat({ baseUrl: 'http://user:pass@127.0.0.1:1/v1?key=k' }));
    expect(error).toMatchObject({ code: 'MODEL_UNREACHABLE', transient: true });
    expect(error.message).toContain('"gpt-test" at http://127.0.0.1:1/v1 cannot be reached');
  });

  it('times out when the headers take too long', async () => {
    answer = () => undefined;
    expect(await failure(chat({ params: { timeout: 0.05 } }))).toMatchObject({
      code: 'MODEL_TIMEOUT',
      transient: true,
    });
  });

  it('times out when the body takes too long', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
    };
    const error = await failure(chat({ params: { timeout: 0.05 } }));
    expect(error.types.slice(0, 2)).toEqual(['APITimeoutError', 'APIConnectionError']);
  });

  it('stops with the reason of the abort', async () => {
    const controller = new AbortController();
    answer = () => controller.abort(new Error('run cancelled'));
    await expect(chat({}, controller.signal)).rejects.toThrow('run cancelled');
  });

  it.each(['<html>', '{"choices":', '{"choices":[]}'])('refuses %s as a reply', async (body) => {
    answer = reply(200, body);
    expect(await failure(chat())).toMatchObject({ code: 'MODEL_BAD_REPLY' });
  });

  it('refuses invalid protocols and timeouts', async () => {
    expect((await failure(chat({ params: { protocol: 'soap' } }))).message).toContain('Write chat or responses');
    expect((await failure(chat({ params: { timeout: 'soon' } }))).message).toContain('seconds');
  });
});
