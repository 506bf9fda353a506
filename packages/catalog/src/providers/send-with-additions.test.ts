import type { ChatRequest, ModelProfile, ProviderCall } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../../../test/support/fixtures.ts';
import { startFakeProvider } from '../../../../test/support/provider/provider.ts';
import { realSleep } from '../../test-support/real-sleep.ts';
import { retryPolicyOf } from '../nodes/retry-config.ts';
import { openai } from './openai/openai.ts';

/** Fields that the server refuses, with its words. */
let refusals: Readonly<Record<string, string>> = {};
let before = 0;
let models = 0;

const server = openBeforeAll(() =>
  startFakeProvider({
    reply({ body }) {
      const message = Object.entries(refusals).find(([field]) => field in body)?.[1];
      return message === undefined ? 'ok' : { refuse: 400, message };
    },
  }),
);
/** Bodies of the requests of a test. */
const received = () => server.requests.slice(before).map(({ body }) => body);

beforeEach(() => {
  before = server.requests.length;
  models += 1;
});

const profile: ModelProfile = { known: true, ownHost: false, usual_temperature: 0.7, tool_choice: 'forced' };
const tools = [{ name: 'add', description: 'Adds.', parameters: { type: 'object' } }];

function chat(more: Partial<ChatRequest> = {}, engine: ProviderCall['engine'] = {}) {
  const request: ChatRequest = {
    provider: 'openai',
    model: `model-${models}`,
    baseUrl: server.at('ok'),
    messages: [{ role: 'user', content: 'hi' }],
    params: {},
    retry: retryPolicyOf(undefined),
    ...more,
  };
  return openai.chat(request, {
    signal: new AbortController().signal,
    fetch,
    counts: {},
    profile,
    sleep: realSleep,
    engine,
  });
}

describe('a server that refuses what Millrace added', () => {
  it('gets the request again without it, once for each model', async () => {
    refusals = { temperature: "Unsupported value: 'temperature' does not support 0.7 with this model." };
    const first = await chat();
    expect(first.text).toBe('ok');
    expect(first.warnings).toMatchObject([
      { code: 'W_PARAM_DROPPED', message: expect.stringContaining('a temperature') },
    ]);
    expect((await chat()).warnings).toBeUndefined();
    expect(received().map((body) => body['temperature'])).toEqual([0.7, undefined, undefined]);
  });

  it('gets each of several requests again that it received at the same time', async () => {
    refusals = { temperature: 'temperature is not supported' };
    const replies = await Promise.all([chat(), chat(), chat()]);

    expect(replies.map(({ text }) => text)).toEqual(['ok', 'ok', 'ok']);
  });

  it('gets the limit of the engine under its other name', async () => {
    refusals = {
      max_tokens: "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
    };
    await chat({}, { maxTokens: 50 });
    expect(received().at(-1)).toMatchObject({ max_completion_tokens: 50 });
    refusals = { ...refusals, max_completion_tokens: 'max_completion_tokens is unknown' };
    await expect(chat({}, { maxTokens: 50 })).rejects.toMatchObject({ code: 'MODEL_BAD_REQUEST' });
  });

  it('gets a sentence in place of a forced choice of tools', async () => {
    refusals = {};
    await chat({ tools, toolChoice: 'required' });
    expect(received()[0]).toMatchObject({ tool_choice: 'required' });
    models += 1;
    before = server.requests.length;
    refusals = { tool_choice: 'tool_choice is not supported' };
    await chat({ tools, toolChoice: 'required' });
    expect(received().map((body) => body['tool_choice'])).toEqual(['required', 'auto', undefined]);
    expect(received().at(-1)?.['messages']).toMatchObject([
      { role: 'system', content: expect.stringMatching(/call of one/) },
      {},
    ]);
  });

  it('fails the call for a field of the author', async () => {
    refusals = { temperature: 'temperature is not supported' };
    const error = chat({ params: { temperature: 1 } });
    await expect(error).rejects.toMatchObject({ code: 'MODEL_BAD_REQUEST', free: true });
    expect(received()).toHaveLength(1);
  });

  it('fails the call for anything else', async () => {
    refusals = { messages: 'The temperatures_list of the message is too long' };
    await expect(chat()).rejects.toMatchObject({ code: 'MODEL_BAD_REQUEST' });
    expect(received()).toHaveLength(1);
  });
});
