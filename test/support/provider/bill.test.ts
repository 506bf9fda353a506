import { describe, expect, it } from 'vitest';
import { openBeforeEach } from '../fixtures.ts';
import { startFakeProvider } from './provider.ts';
import { post } from './raw-client.ts';

let now = 0;
const provider = openBeforeEach(() => startFakeProvider({ now: () => now, bytesPerToken: 1 }));

/** Text of so many tokens. */
const long = (tokens: number) => 'x'.repeat(tokens);
const cached = { type: 'ephemeral' };
const messages = (system: object[], more: object = {}) =>
  post(provider, 'anthropic/v1/messages', {
    model: 'claude-sonnet-5-5',
    max_tokens: 1000,
    system,
    messages: [{ role: 'user', content: 'hi' }],
    ...more,
  });
const chat = (model: string, text: string, more: object = {}) =>
  post(provider, 'openai/v1/chat/completions', { model, messages: [{ role: 'user', content: text }], ...more });
const usageOf = async (asking: ReturnType<typeof post>) => (await asking).body['usage'];
const minutes = (count: number) => count * 60_000;

describe('the bill', () => {
  it('counts input and output at the rates of the model, to the picodollar', async () => {
    provider.say('gpt-6-luna', { text: 'ok', reasoning: 100 });
    await chat('gpt-6-luna', 'hi');

    const [line] = provider.bill.lines;
    expect(line?.usage).toMatchObject({ input: 30, output: 102, reasoning: 100 });
    // 30 x 0.1 + 102 x 0.5 dollars per million.
    expect(line?.picodollars).toBe(54_000_000n);
  });

  it('multiplies by tier, long prompt and region, and adds the fee of searches', async () => {
    const usage = { input: 300_000, output: 1000, region: 'us' };
    provider.say('gpt-6.1-terra', { text: 'ok', usage, searches: 2 });
    await chat('gpt-6.1-terra', 'hi', { service_tier: 'flex' });

    // (300,000 x 2 + 1,000 x 7.5) x 0.5 x 1.1 dollars per million, and twice 10 per thousand.
    expect(provider.bill.usd).toBeCloseTo(0.5 * 1.1 * (0.6 + 0.0075) + 0.02, 12);
  });

  it('names the model that answers in the place of a retired one, and its rates', async () => {
    now = Date.parse('2026-12-02');
    const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
    const { body } = await post(provider, 'gemini/v1beta/models/gemini-2.5-pro:generateContent', { contents });

    expect(body).toMatchObject({ modelVersion: 'gemini-3.5-flash-lite' });
    expect(provider.bill.lines).toMatchObject([{ model: 'gemini-3.5-flash-lite' }]);
  });

  it('cuts a reply at its limit', async () => {
    provider.say('gpt-4o', long(50));
    const { body } = await chat('gpt-4o', 'hi', { max_tokens: 20 });

    expect(body).toMatchObject({ choices: [{ message: { content: long(20) }, finish_reason: 'length' }] });
    expect(provider.bill.lines[0]?.usage.output).toBe(20);
  });
});

describe('the cache', () => {
  it('of Anthropic reads what ends at a breakpoint, byte for byte, while it lives', async () => {
    now = 0;
    const system = [{ type: 'text', text: long(2000), cache_control: cached }];
    const parts = (read: number, write: number) => ({
      cache_read_input_tokens: read,
      cache_creation_input_tokens: write,
    });
    const size = JSON.stringify({ type: 'text', text: long(2000) }).length;

    expect(await usageOf(messages(system))).toMatchObject(parts(0, size));
    expect(await usageOf(messages(system))).toMatchObject(parts(size, 0));
    now += minutes(4);
    expect(await usageOf(messages(system))).toMatchObject(parts(size, 0));
    now += minutes(4); // the hit has renewed it
    expect(await usageOf(messages(system))).toMatchObject(parts(size, 0));
    now += minutes(6);
    expect(await usageOf(messages(system))).toMatchObject(parts(0, size));
    const other = [{ type: 'text', text: `${long(1999)}y`, cache_control: cached }];
    expect(await usageOf(messages(other))).toMatchObject(parts(0, size));
    expect(await usageOf(messages([{ type: 'text', text: long(2000) }]))).toMatchObject(parts(0, 0));
    expect(await usageOf(messages([{ type: 'text', text: long(500), cache_control: cached }]))).toMatchObject(
      parts(0, 0),
    );
  });

  it('of Anthropic keeps for an hour at another price, and moves along with a conversation', async () => {
    const hour = [{ type: 'text', text: long(2000), cache_control: { ...cached, ttl: '1h' } }];
    expect(await usageOf(messages(hour))).toMatchObject({
      cache_creation: {
        ephemeral_5m_input_tokens: 0,
        ephemeral_1h_input_tokens: JSON.stringify({ type: 'text', text: long(2000) }).length,
      },
    });

    const talk = [{ role: 'user', content: long(3000) }];
    const first = (await usageOf(messages([], { messages: talk, cache_control: cached }))) as {
      cache_creation_input_tokens: number;
    };
    const more = [...talk, { role: 'assistant', content: 'yes' }, { role: 'user', content: 'and?' }];
    expect(await usageOf(messages([], { messages: more, cache_control: cached }))).toMatchObject({
      cache_read_input_tokens: first.cache_creation_input_tokens,
    });
  });

  it('of OpenAI reads whole blocks of a known prefix, without a price of writes', async () => {
    const details = (cached: number) => ({ prompt_tokens_details: { cached_tokens: cached } });
    expect(await usageOf(chat('gpt-5.5', long(2000)))).toMatchObject(details(0));
    expect(await usageOf(chat('gpt-5.5', `${long(1500)}y`))).toMatchObject(details(1408));
    expect(await usageOf(chat('gpt-5.5', long(900)))).toMatchObject(details(0));
  });

  it('of OpenAI reads a prefix whatever the length of the rest', async () => {
    const other = await startFakeProvider();
    const asks = async (text: string) =>
      (
        await post(other, 'openai/v1/chat/completions', {
          model: 'gpt-5.5',
          messages: [{ role: 'user', content: text }],
        })
      ).body['usage'];
    await asks(long(8000));
    for (const more of [1, 2, 3, 4])
      expect(await asks(long(8000 + more))).toMatchObject({ prompt_tokens_details: { cached_tokens: 1920 } });
    await other.close();
  });

  it('of the newer models of OpenAI charges writes, unless the request writes nothing', async () => {
    const details = async (text: string, more: object = {}) => {
      const { body } = await post(provider, 'openai/v1/responses', { model: 'gpt-6-sol', input: text, ...more });
      return (body['usage'] as { input_tokens_details: object }).input_tokens_details;
    };
    const size = JSON.stringify({ role: 'user', content: long(2000) }).length;

    expect(await details(long(2000), { prompt_cache_options: { mode: 'explicit' } })).toEqual({
      cached_tokens: 0,
      cache_write_tokens: 0,
    });
    expect(await details(long(2000))).toMatchObject({ cached_tokens: 0, cache_write_tokens: size });
    expect(await details(long(2000))).toMatchObject({ cached_tokens: size, cache_write_tokens: 0 });
    expect(await details(long(3000), { prompt_cache_options: { ttl: '12h' } })).toMatchObject({
      cache_write_tokens_details: { ttl_30m_tokens: 0, ttl_12h_tokens: size + 1000 },
    });
  });
});
