import { afterEach, expect, it, vi } from 'vitest';
import { openBeforeEach } from '../../../../test/support/fixtures.ts';
import { startFakeProvider } from '../../../../test/support/provider/provider.ts';
import { profileOf } from '../../test-support/profile-of.ts';
import { retryPolicyOf } from '../nodes/retry-config.ts';
import { anthropic } from './anthropic.ts';

const provider = openBeforeEach(() => startFakeProvider());
afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  ['claude-sonnet-4-5', {}, 'streamed'],
  ['claude-sonnet-4-5', {}, 'whole'],
  ['claude-opus-4-6', { max_tokens: 4096, thinking: { type: 'enabled', budget_tokens: 1024 } }, 'whole'],
])('asks %s with %j, %s, and prints nothing on the console', async (model, params, way) => {
  const printed = (['log', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name));
  provider.say(model, { text: 'Hi.' });

  const reply = await anthropic.chat(
    {
      provider: 'anthropic',
      model,
      baseUrl: provider.at('anthropic'),
      apiKey: 'key',
      messages: [{ role: 'user', content: 'hi' }],
      params,
      retry: retryPolicyOf(undefined),
    },
    {
      signal: new AbortController().signal,
      counts: {},
      profile: profileOf({ provider: 'anthropic', model }),
      fetch,
      sleep: async () => undefined,
      ...(way === 'streamed' ? { emit: () => undefined } : {}),
    },
  );

  expect(reply).toMatchObject({ text: 'Hi.', end: 'stop' });
  for (const spy of printed) expect(spy).not.toHaveBeenCalled();
});
