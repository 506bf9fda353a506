import type { ProviderDefinition } from '@millrace/core';
import { createModelLookup } from '@millrace/core';
import { afterEach, describe, expect, it } from 'vitest';
import { retryPolicyOf } from '../../packages/catalog/src/nodes/retry-config.ts';
import { anthropic } from '../../packages/catalog/src/providers/anthropic.ts';
import { gemini } from '../../packages/catalog/src/providers/gemini.ts';
import { openai } from '../../packages/catalog/src/providers/openai/openai.ts';
import { realSleep } from '../../packages/catalog/test-support/real-sleep.ts';
import { flood } from '../support/http/flood.ts';
import { startFakeProvider } from '../support/provider/provider.ts';

let close: () => unknown = () => undefined;
afterEach(() => close());

interface Reply {
  readonly type: string;
  readonly start: string;
  readonly piece: string;
}

/** Asks a model that replies without end. Returns its failure, and the bytes that it got rid of. */
async function ask(provider: ProviderDefinition, params: Readonly<Record<string, unknown>>, { type, ...reply }: Reply) {
  let sent = 0;
  const server = await startFakeProvider({
    reply: () => ({
      async respond(outgoing) {
        sent = await flood(outgoing.writeHead(200, { 'content-type': type }), { ...reply, bytes: 700_000_000 });
      },
    }),
  });
  close = () => server.close();
  const baseUrl = `${server.url}/ok`;
  const messages = [{ role: 'user' as const, content: 'hello' }];
  const retry = retryPolicyOf(undefined);
  const { signal } = new AbortController();
  const error: unknown = await provider
    .chat(
      { provider: 'p', model: 'm', apiKey: 'k', baseUrl, messages, params, retry },
      {
        signal,
        fetch,
        counts: {},
        profile: createModelLookup([]).profile({ provider: 'p', model: 'm' }),
        emit: () => undefined,
        sleep: realSleep,
      },
    )
    .catch((thrown: unknown) => thrown);
  return { error, sent };
}

describe.each([
  { name: 'openai, chat completions', provider: openai, params: {} },
  { name: 'openai, responses', provider: openai, params: { protocol: 'responses' } },
  { name: 'anthropic', provider: anthropic, params: { stream: true } },
  { name: 'gemini', provider: gemini, params: {} },
])('$name', ({ provider, params }) => {
  const letters = 'x'.repeat(1_000_000);
  it.each([
    { what: 'text', type: 'application/json', start: '{"choices":["', piece: letters },
    { what: 'one event', type: 'text/event-stream', start: 'data: {"choices":["', piece: letters },
    { what: 'empty objects', type: 'application/json', start: '{"choices":[', piece: '{},'.repeat(300_000) },
    { what: 'lists in each other', type: 'application/json', start: '', piece: '['.repeat(1000) },
  ])(
    'stops reading a reply without an end: $what',
    async (reply) => {
      const { error, sent } = await ask(provider, params, reply);

      expect(error).toMatchObject({ code: 'MODEL_REPLY_TOO_LARGE', transient: false });
      expect(sent).toBeLessThan(40_000_000);
      // The first one loads the SDK.
    },
    60_000,
  );
});
