import type { ChatRequest } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../../../../test/support/fixtures.ts';
import { startFakeProvider } from '../../../../../test/support/provider/provider.ts';
import type { Reply } from '../../../../../test/support/provider/reply.ts';
import { profileOf } from '../../../test-support/profile-of.ts';
import { realSleep } from '../../../test-support/real-sleep.ts';
import { ModelError } from '../../model-calls/model-error.ts';
import { retryPolicyOf } from '../../nodes/retry-config.ts';
import { openai } from './openai.ts';

let answer: Reply = { silence: true };
const provider = openBeforeAll(() => startFakeProvider({ reply: () => answer }));

const requestOf = (more: Partial<ChatRequest> = {}): ChatRequest => ({
  provider: 'openai',
  model: 'gpt-test',
  baseUrl: provider.at('ok'),
  apiKey: 'sk-very-secret',
  messages: [{ role: 'user', content: 'hello' }],
  params: {},
  retry: retryPolicyOf(undefined),
  ...more,
});

const chat = (more?: Partial<ChatRequest>, signal = new AbortController().signal) => {
  const request = requestOf(more);
  return openai.chat(request, { signal, fetch, counts: {}, profile: profileOf(request), sleep: realSleep });
};

const reply = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  body,
  headers,
});

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
    answer = 'Hi there!';
    expect(await chat({ baseUrl: provider.at('compatible') })).toMatchObject({
      text: 'Hi there!',
      finishReason: 'stop',
    });
  });

  it('sends the query of an address with each operation, and refuses what is no address', async () => {
    answer = 'ok';
    await chat({ baseUrl: `${provider.at('ok')}?api-version=7` });

    expect(provider.requests.at(-1)?.path).toMatch(/\/chat\/completions\?api-version=7$/);
    for (const baseUrl of ['models.example/v1', 'file:///v1'])
      expect(await failure(chat({ baseUrl }))).toMatchObject({ code: 'MODEL_BAD_REQUEST', transient: false });
  });

  it('sends the conversation, all params, and the key as a header', async () => {
    answer = 'ok';
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
    const received = provider.requests.at(-1);
    expect(received).toMatchObject({
      headers: { authorization: 'Bearer sk-very-secret' },
      path: '/ok/v1/chat/completions',
    });
    expect(received?.body).toEqual({
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
      end: 'calls',
      toolCalls: [{ id: expect.stringMatching(/^[0-9a-f]{9}$/), name: 'add', arguments: '{}' }],
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
      const before = provider.requests.length;
      answer = reply(status, { error: { message: 'wrong key sk-very-secret here' } });
      const error = await failure(chat());
      expect(error).toMatchObject({ code, transient, status });
      expect(error.types).toContain('APIError');
      expect(error.message).not.toContain('very-secret');
      expect(provider.requests).toHaveLength(before + 1);
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
    answer = { silence: true };
    expect(await failure(chat({ params: { timeout: 0.05 } }))).toMatchObject({
      code: 'MODEL_TIMEOUT',
      transient: true,
    });
  });

  it('times out when the body takes too long', async () => {
    answer = { respond: (outgoing) => outgoing.writeHead(200, { 'content-type': 'application/json' }).write('{') };
    const error = await failure(chat({ params: { timeout: 0.05 } }));
    expect(error.types.slice(0, 2)).toEqual(['APITimeoutError', 'APIConnectionError']);
  });

  it('stops with the reason of the abort', async () => {
    const controller = new AbortController();
    answer = { respond: () => controller.abort(new Error('run cancelled')) };
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
