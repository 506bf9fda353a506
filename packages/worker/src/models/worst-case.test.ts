import { createVocabulary } from '@millrace/catalog';
import type { BudgetRecord, ChatMessage, ChatRequest, ModelProfile, Price, Terms, Usage } from '@millrace/core';
import { costOf, noRetries, tokensOf } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CountedRequest } from './worst-case.ts';
import { estimateTokens, worstCase } from './worst-case.ts';

const nothing = { tokens: 0, microUsd: 0 };
const budget = (limit: BudgetRecord['limit'] = { microUsd: 1e9 }): BudgetRecord => ({
  limit,
  spent: nothing,
  reserved: nothing,
  lost: nothing,
});
const known: ModelProfile = { known: true, ownHost: true, host: 'openai' };
const price: Price = { input: 1, output: 10 };

const asking = (more: Partial<ChatRequest> = {}): ChatRequest => ({
  provider: 'openai',
  model: 'm',
  messages: [{ role: 'user', content: 'hello' }],
  params: { max_tokens: 100 },
  retry: noRetries,
  ...more,
});

interface Given {
  readonly price?: Price;
  readonly profile?: ModelProfile;
  readonly limit?: BudgetRecord['limit'];
  readonly last?: CountedRequest;
}

const reader = { compat: false, provider: 'openai', tools: [], warn: () => undefined } as const;

function bound(request: ChatRequest, { profile = known, limit, last, ...given }: Given = {}) {
  const terms: Terms = { price: given.price ?? price, provider: request.provider };
  return worstCase(request, {
    reader: { ...reader, provider: request.provider },
    budget: budget(limit),
    terms: [terms],
    profile,
    last,
  });
}
const most = (...given: Parameters<typeof bound>) => bound(...given).worstCase.microUsd ?? 0;
/** Tokens of the prompt at most, as the answer has 100. */
const promptOf = (...given: Parameters<typeof bound>) => bound(...given).worstCase.tokens - 100;

const { providers } = createVocabulary();

/** Returns the limits of the answer in the request that a provider sends, under the names that its API reads. */
async function sentLimits(request: ChatRequest, maxTokens: number | undefined): Promise<readonly number[]> {
  let body: Readonly<Record<string, unknown>> = {};
  const sending = providers.get(request.provider)?.chat(
    { ...request, apiKey: 'k' },
    {
      engine: maxTokens === undefined ? undefined : { maxTokens },
      profile: known,
      cacheKey: undefined,
      counts: {},
      signal: new AbortController().signal,
      async fetch(input, init) {
        body = (await new Request(input, init).json()) as typeof body; // The providers send mappings.
        return Response.json({ error: { message: 'no' } }, { status: 401 });
      },
      sleep: async () => undefined,
    },
  );
  await expect(sending).rejects.toMatchObject({ code: 'MODEL_AUTH' });
  const isResponses = request.params['protocol'] === 'responses';
  const read =
    request.provider === 'gemini'
      ? [
          Reflect.get(Object(body['generationConfig']), 'maxOutputTokens'),
          Reflect.get(Object(body['generation_config']), 'max_output_tokens'),
        ]
      : isResponses
        ? [body['max_output_tokens']]
        : [body['max_tokens'], request.provider === 'openai' ? body['max_completion_tokens'] : undefined];
  return read.filter((limit) => limit !== undefined).map(Number);
}

describe('the worst case of a call', () => {
  it('has the limit of the answer also where it is written as a text', () => {
    const limited = (max_tokens: unknown) => bound(asking({ params: { max_tokens, n: '2' } }));

    expect(limited('20000').worstCase.tokens - limited(0).worstCase.tokens).toBeGreaterThanOrEqual(40_000);
    expect(limited('20000')).not.toHaveProperty('maxTokens');
  });

  it.each([
    { max_tokens: -1 },
    { max_tokens: Number.POSITIVE_INFINITY },
    { max_tokens: Number.NaN },
    { max_tokens: 1e308, n: 2 },
    { max_tokens: '-1' },
    { max_tokens: 100, generationConfig: { maxOutputTokens: -1 } },
    { n: 1e300 },
  ])('does not exist for an answer without a bound, as by %j', (params) => {
    expect(() => bound(asking({ params }))).toThrowError(expect.objectContaining({ code: 'PRICE_UNBOUNDED' }));
    const estimate = estimateTokens(asking({ params }), reader);
    expect(estimate > 0 && estimate < 100).toBe(true);
  });

  it.each([
    { max_tokens: 'many' },
    { max_tokens: '' },
    { max_tokens: true },
    { max_output_tokens: [100] },
    { extra_body: { max_tokens: null } },
    { extra_body: { max_completion_tokens: 'many' } },
  ])('does not exist for an answer whose limit is no number, as by %j', (params) => {
    expect(() => bound(asking({ params }))).toThrowError(expect.objectContaining({ code: 'PRICE_UNBOUNDED' }));
  });

  it.each([
    ['openai', { metadata: { max_tokens: 1 } }],
    ['openai', { maxOutputTokens: 1 }],
    ['openai', { max_tokens: null, metadata: { max_tokens: '20000' } }],
    ['openai', { extra_body: { max_tokens: 700 } }],
    ['openai', { max_completion_tokens: 700, n: 2 }],
    ['openai', { protocol: 'responses', max_completion_tokens: 1 }],
    ['openai', { protocol: 'responses', max_output_tokens: 700 }],
    ['anthropic', { max_completion_tokens: 1 }],
    ['anthropic', { maxOutputTokens: 1 }],
    ['anthropic', { metadata: { max_tokens: 1 } }],
    ['gemini', { max_completion_tokens: 1 }],
    ['gemini', { labels: { max_tokens: 1 } }],
    ['gemini', { maxOutput_tokens: 60_000 }],
    ['gemini', { max_outputTokens: 60_000 }],
    ['gemini', { max_tokens: 100, maxOutput_tokens: 60_000 }],
    ['gemini', { maxOutputTokens: 700, candidate_count: 2 }],
    ['gemini', { http_options: { extra_body: { generation_config: { max_output_tokens: 60_000 } } } }],
  ])('has at least the limit that the API of %s reads in the request, with %j', async (provider, params) => {
    const request = asking({ provider, params });
    const { worstCase: most, maxTokens } = bound(request);
    const sent = await sentLimits(request, maxTokens);
    const answers = 'n' in params || 'candidate_count' in params ? 2 : 1;

    expect(sent).not.toEqual([]);
    for (const limit of sent) expect(most.microUsd ?? 0).toBeGreaterThanOrEqual(limit * answers * price.output);
  });

  it('has the dearest rate of the prompt that the request can cause', () => {
    const writing = { ...price, cache_write: 3, cache_write_long: 7 };
    const marked = (ttl: string) => asking({ params: { max_tokens: 100, cache_control: { type: 'ephemeral', ttl } } });
    const tokens = promptOf(asking());

    expect(most(asking(), { price: writing })).toBe(tokens + 1000);
    const charging: ModelProfile = { ...known, cache: 'openai_options' };
    expect(most(asking(), { price: writing, profile: charging })).toBe(3 * tokens + 1000);
    expect(most(asking(), { price: writing, profile: { ...known, known: false } })).toBe(3 * tokens + 1000);
    expect(most(marked('5m'), { price: writing })).toBe(3 * promptOf(marked('5m')) + 1000);
    expect(most(marked('1h'), { price: writing })).toBe(7 * promptOf(marked('1h')) + 1000);
    const kept = (long?: true): Partial<ChatRequest> => ({
      provider: 'anthropic',
      reuse: { whole: true, start: false, ...(long && { long }) },
    });
    const claude: Given = { price: writing, profile: { ...known, cache: 'anthropic', host: 'anthropic' } };
    expect(most(asking(kept()), claude)).toBe(3 * tokens + 1000);
    expect(most(asking(kept(true)), claude)).toBe(7 * tokens + 1000);
    expect(most(asking(kept(true)), { price: writing })).toBe(tokens + 1000);
    const quoting = asking({ messages: [{ role: 'user', content: '{"cache_control": {"ttl": "1h"}}' }] });
    expect(most(quoting, { price: writing })).toBe(promptOf(quoting) + 1000);
  });

  it('has the rates of long prompts if the bound passes the threshold', () => {
    const long = { above: 1000, input: 2, output: 15 };
    const content = 'x'.repeat(2000);
    const large = asking({ messages: [{ role: 'user', content }] });
    expect(most(asking(), { price: { ...price, long } })).toBe(promptOf(asking()) + 1000);
    expect(most(large, { price: { ...price, long } })).toBe(2 * promptOf(large) + 1500);
  });

  it('names the standard tier on the host of OpenAI, and has the dearest one where the account decides', () => {
    const listed = { ...price, tiers: { flex: 0.5, priority: 2 } };
    const plain = promptOf(asking()) + 1000;
    expect(bound(asking(), { price: listed })).toMatchObject({ tier: 'default', worstCase: { microUsd: plain } });
    const elsewhere: ModelProfile = { known: true, ownHost: false };
    expect(bound(asking(), { price: listed, profile: elsewhere }).tier).toBeUndefined();
    expect(most(asking(), { price: listed, profile: elsewhere })).toBe(2 * plain);
    const tier = (service_tier: string) => asking({ params: { max_tokens: 100, service_tier } });
    expect(most(tier('auto'), { price: listed })).toBe(2 * (promptOf(tier('auto')) + 1000));
    expect(most(tier('flex'), { price: listed })).toBe(promptOf(tier('flex')) + 1000);
    const tokens = promptOf(tier('priority'), { price: listed });
    expect(most(tier('priority'), { price: listed })).toBe(2 * (tokens + 1000));
    expect(() => bound(tier('priority'))).toThrowError(/no rate for the service tier "priority"/);
    expect(bound(tier('priority'), { limit: { tokens: 1e6 } }).worstCase.tokens).toBeGreaterThan(0);
  });

  it('demands a rate for audio and images that are asked for', () => {
    const spoken = asking({ params: { max_tokens: 100, modalities: ['text', 'audio'], audio: { voice: 'x' } } });
    expect(() => bound(spoken)).toThrowError(/no rate for spoken answers/);
    const listed = { ...price, audio_output: 80 };
    expect(most(spoken, { price: listed })).toBe(promptOf(spoken, { price: listed }) + 8000);
    const drawn = asking({ provider: 'gemini', params: { max_tokens: 100, responseModalities: ['IMAGE'] } });
    expect(() => bound(drawn)).toThrowError(/no rate for drawn answers/);
  });

  it('of a prompt that only grew is what the provider counted, and the bytes of what is new', () => {
    const messages: readonly ChatMessage[] = [{ role: 'user', content: 'x'.repeat(100_000) }];
    const last = { request: asking({ messages }), usage: { promptTokens: 20_000, completionTokens: 500 } };
    const added: ChatMessage[] = [
      { role: 'assistant', content: 'yes' },
      { role: 'user', content: 'and then?' },
    ];
    const grown = asking({ messages: [...messages, ...added] });
    const bytes = Buffer.byteLength(JSON.stringify(added));

    expect(promptOf(grown, { last })).toBe(20_000 + 500 + 64 + bytes);
    expect(promptOf(grown)).toBeGreaterThan(100_000);
    for (const other of [
      { messages: [{ role: 'user', content: `${'x'.repeat(99_999)}y` } as const, ...added] },
      { messages: [{ role: 'user', content: 'x'.repeat(100_001) } as const, ...added] },
      { model: 'other' },
      { params: { max_tokens: 100, temperature: 0 } },
      { tools: [{ name: 'find', description: '', parameters: {} }] },
    ])
      expect(promptOf({ ...grown, ...other }, { last }), JSON.stringify(other).slice(0, 80)).toBeGreaterThan(100_000);
  });

  it('of a prompt of which parts were left out is no more than what the provider counted, and the bytes of what is new', () => {
    const message = (content: string): ChatMessage => ({ role: 'user', content });
    const long = message('x'.repeat(100_000));
    const last = {
      request: asking({ messages: [message('go'), long, long, message('y'.repeat(50_000))] }),
      usage: { promptTokens: 60_000, completionTokens: 500 },
    };
    const line = message('removed');
    const bytes = Buffer.byteLength(JSON.stringify([line]));

    expect(promptOf(asking({ messages: [message('go'), line, long, message('y'.repeat(50_000))] }), { last })).toBe(
      60_000 + 500 + 64 + bytes,
    );
    expect(promptOf(asking({ messages: [message('stop'), line] }), { last })).toBeLessThan(1000);
    const thrice = asking({ messages: [message('go'), long, long, long] });
    expect(promptOf(thrice, { last })).toBeGreaterThan(60_000 + 100_000);
  });

  it('has the context of the model, and a limited number of searches, if the provider runs tools', () => {
    const context: ModelProfile = { ...known, context: 400_000, input_limit: 300_000 };
    const listed = { ...price, web_search: 10 };
    const searching = (provider: string, tools: object[], more: object = {}) =>
      asking({ provider, params: { max_tokens: 100, tools, ...more } });
    const cost = (searches: number) => 300_000 + 1000 + searches * 10_000;

    const openai = searching('openai', [{ type: 'web_search' }]);
    expect(bound(openai, { price: listed, profile: context })).toMatchObject({
      worstCase: { tokens: 300_100, microUsd: cost(10) },
      params: { max_tool_calls: 10 },
    });
    expect(
      most(searching('openai', [{ type: 'web_search' }], { max_tool_calls: 3 }), { price: listed, profile: context }),
    ).toBe(cost(3));
    const anthropic = searching('anthropic', [
      { type: 'web_search_20250305', name: 'web_search' },
      { type: 'web_search_20250305', name: 'again', max_uses: 2 },
      { name: 'own', input_schema: {} },
    ]);
    expect(bound(anthropic, { price: listed, profile: context })).toMatchObject({
      worstCase: { microUsd: cost(12) },
      params: { tools: [{ max_uses: 10 }, { max_uses: 2 }, { name: 'own' }] },
    });
    expect(most(searching('gemini', [{ googleSearch: {} }]), { price: listed, profile: context })).toBe(cost(10));
    expect(() => bound(openai)).toThrowError(expect.objectContaining({ code: 'PRICE_UNBOUNDED' }));
    for (const tool of [
      { type: 'function', function: {} },
      { name: 'a', input_schema: {} },
      { functionDeclarations: [] },
    ])
      expect(promptOf(searching('openai', [tool]))).toBeLessThan(2000);
  });

  it('limits the answer to what the budget has left, at the dearest rate', () => {
    const limit = { microUsd: 10_000 };
    const open = asking({ params: {} });
    const { maxTokens = 0, worstCase: amount } = bound(open, { limit });
    expect(amount.microUsd).toBeLessThanOrEqual(limit.microUsd);
    expect(amount.microUsd).toBeGreaterThan(limit.microUsd - 30);
    expect(maxTokens).toBeGreaterThan(900);
    expect(bound(open).maxTokens).toBe(4096);
    expect(bound(open, { profile: { ...known, usual_limit: 16_384 } }).maxTokens).toBe(16_384);
  });
});

const rate = fc.integer({ min: 0, max: 400 }).map((quarter) => quarter / 4);
const rates = fc.record(
  { input: rate, output: rate, cached_input: rate, cache_write: rate, cache_write_long: rate, audio_output: rate },
  { requiredKeys: ['input', 'output'] },
);
const prices: fc.Arbitrary<Price> = fc
  .record({ rates, long: fc.option(rates), above: fc.integer({ min: 1, max: 3000 }), priority: rate })
  .map(({ rates: row, long, above, priority }) => ({
    ...row,
    ...(long === null ? {} : { long: { above, ...long } }),
    tiers: { flex: 0.5, priority },
  }));
const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.string({ unit: 'binary', maxLength: 100 }));
const percent = fc.integer({ min: 0, max: 100 });
const conversations = fc.record({
  price: prices,
  provider: fc.constantFrom('openai', 'anthropic', 'gemini'),
  host: fc.constantFrom('openai', undefined),
  cache: fc.constantFrom('openai_options' as const, undefined),
  params: fc.record(
    {
      cache_control: fc.record({ type: fc.constant('ephemeral'), ttl: fc.constantFrom('5m', '1h') }),
      service_tier: fc.constantFrom('auto', 'flex', 'priority'),
    },
    { requiredKeys: [] },
  ),
  /** Tokens of each hundred bytes. */
  density: fc.integer({ min: 1, max: 100 }),
  rounds: fc.array(
    fc.record({ asked: text, said: text, thoughts: fc.nat(200), cached: percent, written: percent, long: percent }),
    { minLength: 1, maxLength: 6 },
  ),
});
type Conversation = typeof conversations extends fc.Arbitrary<infer Given> ? Given : never;

const answerLimit = 500;
const partOf = (whole: number, part: number): number => Math.floor((whole * part) / 100);

/** Returns the tier that answers: an account of OpenAI has the dearest one, where the request leaves it to the account. */
function answeringTier({ provider, params }: Conversation, named: string | undefined): string | undefined {
  const { service_tier: tier = named } = params;
  if (provider === 'openai' && (tier === undefined || tier === 'auto')) return 'priority';
  return tier === 'auto' || tier === 'default' ? undefined : tier;
}

/** Returns what a provider counts that bills as much as the request allows. */
function counted(given: Conversation, round: Conversation['rounds'][number], promptTokens: number): Usage {
  const { provider, cache, params, density } = given;
  const cachedTokens = partOf(promptTokens, round.cached);
  const writes = params.cache_control !== undefined || (provider === 'openai' && cache !== undefined);
  const cacheWriteTokens = writes ? partOf(promptTokens - cachedTokens, round.written) : 0;
  const isLong = params.cache_control?.ttl === '1h';
  return {
    promptTokens,
    completionTokens: Math.min(answerLimit, partOf(Buffer.byteLength(round.said), density) + round.thoughts),
    cachedTokens,
    cacheWriteTokens,
    cacheWriteLongTokens: isLong ? partOf(cacheWriteTokens, round.long) : 0,
    audioCompletionTokens: round.thoughts % 7,
  };
}

/** Returns the costs of each round of a conversation beside their bounds. */
function* costsOf(given: Conversation) {
  const { price: own, provider, host, cache, density, rounds } = given;
  const profile: ModelProfile = {
    known: true,
    ownHost: true,
    ...(host === undefined ? {} : { host }),
    ...(cache === undefined ? {} : { cache }),
  };
  const messages: ChatMessage[] = [];
  let last: CountedRequest | undefined;
  let promptTokens = 10;
  for (const round of rounds) {
    messages.push({ role: 'user', content: round.asked });
    promptTokens += partOf(Buffer.byteLength(round.asked), density) + 4;
    const request = asking({
      provider,
      params: { max_tokens: answerLimit, ...given.params },
      messages: [...messages],
    });
    const bounded = bound(request, { price: own, profile, ...(last === undefined ? {} : { last }) });
    const tier = answeringTier(given, bounded.tier);
    const usage = counted(given, round, promptTokens);
    yield {
      most: bounded.worstCase,
      tokens: tokensOf(usage),
      microUsd: costOf({ ...usage, ...(tier === undefined ? {} : { tier }) }, { price: own, provider }),
    };
    messages.push({ role: 'assistant', content: round.said });
    // The provider keeps the thoughts in the conversation.
    promptTokens += usage.completionTokens + 4;
    last = { request, usage };
  }
}

describe('the worst case of a random conversation', () => {
  it('is never below the bill', () => {
    fc.assert(
      fc.property(conversations, (given) => {
        for (const { most: bounded, tokens, microUsd } of costsOf(given)) {
          expect(tokens).toBeLessThanOrEqual(bounded.tokens);
          expect(microUsd).toBeLessThanOrEqual(bounded.microUsd ?? 0);
        }
      }),
      { numRuns: 300 },
    );
  });
});
