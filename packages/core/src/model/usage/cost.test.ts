import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costOf, ratesOf, savedByCaches } from './cost.ts';
import type { Price } from './price.ts';
import type { Usage } from './usage.ts';

const price = { input: 2.5, cached_input: 1.25, output: 10 };
const cost = (usage: Partial<Usage>, terms: Price = price, provider = 'openai') =>
  costOf({ promptTokens: 0, completionTokens: 0, ...usage }, { price: terms, provider });

describe('the cost of a call', () => {
  it('is in whole micro-dollars, rounded up once', () => {
    expect(cost({ promptTokens: 1 })).toBe(3);
    expect(cost({ promptTokens: 1, completionTokens: 1 }, { input: 0.4, output: 0.4 })).toBe(1);
    expect(cost({ promptTokens: 30 }, { input: 0.1, output: 0.4 })).toBe(3);
  });

  it('charges cached and written tokens at their own rates', () => {
    expect(cost({ promptTokens: 1000, cachedTokens: 600, completionTokens: 100 })).toBe(2750);
    const written = { promptTokens: 1000, cacheWriteTokens: 500, cacheWriteLongTokens: 200 };
    const own = { ...price, cache_write: 3, cache_write_long: 6 };
    expect(cost(written, own)).toBe(500 * 2.5 + 300 * 3 + 200 * 6);
  });

  it('is lower or higher than without a cache', () => {
    const saved = (usage: Partial<Usage>) =>
      savedByCaches({ promptTokens: 1000, completionTokens: 5, ...usage }, { price, provider: 'anthropic' });
    expect(saved({})).toBe(0);
    expect(saved({ cachedTokens: 600 })).toBe(750);
    expect(saved({ cacheWriteTokens: 1000 })).toBe(-625);
    expect(saved({ cachedTokens: 600, cacheWriteTokens: 400, cacheWriteLongTokens: 400 })).toBe(750 - 1000);
  });

  it('derives rates of writes where the provider charges them', () => {
    const written = { promptTokens: 1000, cacheWriteTokens: 1000, cacheWriteLongTokens: 400 };
    const free = { input: 2, output: 8 };
    expect(cost(written, free, 'anthropic')).toBe(600 * 2.5 + 400 * 4);
    expect(cost(written, free, 'openai')).toBe(600 * 2.5 + 400 * 5);
    expect(cost(written, free, 'gemini')).toBe(2000);
    expect(ratesOf({ ...free, cache_write: 9 }, 'anthropic')).toMatchObject({ cache_write: 9, cache_write_long: 9 });
  });

  it('has all rates of long prompts above the threshold', () => {
    const long = { above: 100, input: 5, output: 15 };
    expect(cost({ promptTokens: 100, completionTokens: 1 }, { ...price, long })).toBe(260);
    expect(cost({ promptTokens: 101, completionTokens: 1 }, { ...price, long })).toBe(520);
    expect(cost({ promptTokens: 101, cacheWriteTokens: 101 }, { ...price, long }, 'anthropic')).toBe(632); // 631.25
  });

  it('is multiplied by the tier and the region that answered, except for fees', () => {
    const listed = { ...price, tiers: { flex: 0.5 }, regional: 1.1, web_search: 10 };
    const usage = { promptTokens: 1000, completionTokens: 100, requests: { web_search: 3, file_search: 9 } };
    expect(cost(usage, listed)).toBe(3500 + 30_000);
    expect(cost({ ...usage, tier: 'flex', region: 'us' }, listed)).toBe(1925 + 30_000);
    expect(cost({ ...usage, tier: 'unlisted' }, listed)).toBe(33_500);
    const terms = { price: listed, provider: 'openai', regional: true };
    expect(costOf({ promptTokens: 1000, completionTokens: 100 }, terms)).toBe(3850);
  });

  it('charges audio and images at their own rates, and no token twice', () => {
    const own = { ...price, audio_input: 40, image_input: 5, audio_output: 80, image_output: 30 };
    const usage = { promptTokens: 100, audioPromptTokens: 10, imagePromptTokens: 20, completionTokens: 50 };
    expect(cost({ ...usage, audioCompletionTokens: 5, imageCompletionTokens: 15 }, own)).toBe(
      70 * 2.5 + 10 * 40 + 20 * 5 + 30 * 10 + 5 * 80 + 15 * 30,
    );
    expect(cost({ promptTokens: 10, cachedTokens: 50, audioPromptTokens: 4 }, own)).toBe(4 * 40 + Math.ceil(6 * 1.25));
  });
});

/** A number of four decimals in ten thousandths, which the calculator adds up as whole numbers. */
const decimal = (max: number) => fc.integer({ min: 0, max: max * 10_000 });
const inDollars = (tenThousandths: number): number => Number((tenThousandths / 10_000).toFixed(4));
const tokens = fc.integer({ min: 0, max: 2_000_000 });
/** Part of what is left of a whole. */
const percent = fc.integer({ min: 0, max: 100 });
const partOf = (whole: number, part: number): number => Math.floor((whole * part) / 100);

const rateNames = ['input', 'cached_input', 'cache_write', 'cache_write_long', 'output'] as const;
const rates = fc.record(
  Object.fromEntries(rateNames.map((name) => [name, decimal(99)] as const)) as Record<Rate, fc.Arbitrary<number>>,
);
type Rate = (typeof rateNames)[number];

const row = (given: Readonly<Record<Rate, number>>) =>
  Object.fromEntries(rateNames.map((name) => [name, inDollars(given[name])])) as Record<Rate, number>;

/** Returns the cost in micro-dollars by whole numbers alone: three factors of four decimals are 10^-12 of it. */
function calculated(counts: readonly (readonly [number, number])[], factors: readonly number[], fees: number): bigint {
  const sum = counts.reduce((all, [count, rate]) => all + BigInt(count) * BigInt(rate), 0n);
  const exact = factors.reduce((all, factor) => all * BigInt(factor), sum) + BigInt(fees) * 10n ** 8n;
  return exact / 10n ** 12n + (exact % 10n ** 12n === 0n ? 0n : 1n);
}

it('is at most the largest budget, as larger ones could not be counted', () => {
  const dear = { input: 1_000_000, output: 1_000_000, tiers: { own: 1000 }, regional: 1000 };
  expect(cost({ promptTokens: 1_000_000_000, completionTokens: 1, tier: 'own', region: 'us' }, dear)).toBe(1e15);
});

describe('a calculator of whole numbers', () => {
  it('comes to the same cost for every usage and price', () => {
    fc.assert(
      fc.property(
        fc.record({ low: rates, high: rates, tier: decimal(5), region: decimal(2), fee: decimal(99) }),
        fc.record({
          prompt: tokens,
          answer: tokens,
          read: percent,
          write: percent,
          long: percent,
          searches: fc.nat(50),
        }),
        fc.integer({ min: 1, max: 2_000_000 }),
        ({ low, high, tier, region, fee }, used, above) => {
          const cachedTokens = partOf(used.prompt, used.read);
          const cacheWriteTokens = partOf(used.prompt - cachedTokens, used.write);
          const cacheWriteLongTokens = partOf(cacheWriteTokens, used.long);
          const parts = { cachedTokens, cacheWriteTokens, cacheWriteLongTokens };
          const facts = { tier: 'own', region: 'us', requests: { web_search: used.searches } };
          const listed = { tiers: { own: inDollars(tier) }, regional: inDollars(region), web_search: inDollars(fee) };

          const ours = costOf(
            { promptTokens: used.prompt, completionTokens: used.answer, ...parts, ...facts },
            { price: { ...row(low), long: { above, ...row(high) }, ...listed }, provider: 'anthropic' },
          );

          const of = used.prompt > above ? high : low;
          const counts = [
            [used.prompt - cachedTokens - cacheWriteTokens, of.input],
            [cachedTokens, of.cached_input],
            [cacheWriteTokens - cacheWriteLongTokens, of.cache_write],
            [cacheWriteLongTokens, of.cache_write_long],
            [used.answer, of.output],
          ] as const;
          expect(BigInt(ours)).toBe(calculated(counts, [tier, region], used.searches * 1000 * fee));
        },
      ),
      { numRuns: 300 },
    );
  });
});
