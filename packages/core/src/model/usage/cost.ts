import { omitUndefined } from '../omit-undefined.ts';
import { maxBudgetDollars } from './budget.ts';
import type { Price } from './price.ts';
import type { Usage } from './usage.ts';

/*
 * Costs of calls of models. Rates are US dollars per million tokens, which are micro-dollars per token; they are added up as
 * whole picodollars, so that sums are exact. The cost of a call is rounded up once, to whole micro-dollars.
 */

/** Terms on which a call is billed. */
export interface Terms {
  readonly price: Price;
  /** Provider whose API is called: it decides the rates that the price leaves out. */
  readonly provider: string;
  /** Whether the host charges for its region, although its replies name none. */
  readonly regional?: boolean | undefined;
}

type LongPrice = NonNullable<Price['long']>;
/** All rates of a price, in US dollars per million tokens. */
export type Rates = { readonly [Rate in Exclude<keyof LongPrice, 'above'>]-?: number };

/** Rates of writes to a cache as factors of the input, for prices that name none; other providers charge no writes. */
const writeFactors: Readonly<Record<string, { readonly short: number; readonly long: number }>> = {
  anthropic: { short: 1.25, long: 2 },
  openai: { short: 1.25, long: 2.5 },
};

/** Returns the rates of a price, or of its part for long prompts, with those that it leaves out. */
export function ratesOf(price: Price | LongPrice, provider: string): Rates {
  const { input, output } = price;
  const { short, long } = writeFactors[provider] ?? { short: 1, long: 1 };
  const { cache_write = input * short } = price;
  return {
    input,
    cached_input: price.cached_input ?? input,
    cache_write,
    cache_write_long: price.cache_write_long ?? Math.max(cache_write, input * long),
    audio_input: price.audio_input ?? input,
    image_input: price.image_input ?? input,
    output,
    audio_output: price.audio_output ?? output,
    image_output: price.image_output ?? output,
  };
}

/** Returns the cost of a call in whole micro-dollars, rounded up. */
export function costOf(usage: Usage, terms: Terms): number {
  const { price, provider, regional } = terms;
  const { long } = price;
  const rates = ratesOf(long !== undefined && usage.promptTokens > long.above ? long : price, provider);
  return sumUp({
    tokens: promptCost(usage, rates) + answerCost(usage, rates),
    tier: usage.tier === undefined ? 1 : (price.tiers?.[usage.tier] ?? 1),
    region: usage.region === undefined && regional !== true ? 1 : (price.regional ?? 1),
    fees: feesOf(usage.requests?.['web_search'] ?? 0, price),
  });
}

/** Returns what caches have saved in a call, in whole micro-dollars: less than 0 if they cost more than they saved. */
export function savedByCaches(
  { cachedTokens, cacheWriteTokens, cacheWriteLongTokens, ...usage }: Usage,
  terms: Terms,
): number {
  if (!cachedTokens && !cacheWriteTokens && !cacheWriteLongTokens) return 0;
  const parts = omitUndefined({ cachedTokens, cacheWriteTokens, cacheWriteLongTokens });
  return costOf(usage, terms) - costOf({ ...usage, ...parts }, terms);
}

/** Most that a call may use, and what it may be billed at. */
export interface MostUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Searches of the provider. */
  readonly searches: number;
  /** The longest time for which the provider may keep the prompt in its cache. */
  readonly writes: 'none' | 'short' | 'long';
  /** The prompt may have recordings or images. */
  readonly media: boolean;
  /** Factor of the dearest tier that may answer. */
  readonly tier: number;
}

/** Returns the most that a call may cost, in whole micro-dollars: every token at the dearest rate that it may have. */
export function mostCostOf(most: MostUsage, { price, provider, regional }: Terms): number {
  const { promptTokens, completionTokens, searches, tier } = most;
  const { long } = price;
  const prices = long !== undefined && promptTokens > long.above ? [price, long] : [price];
  const rates = prices.map((one) => ratesOf(one, provider));
  const input = Math.max(...rates.map((one) => dearestInput(one, most)));
  const output = Math.max(...rates.map((one) => Math.max(one.output, one.audio_output, one.image_output)));
  return sumUp({
    tokens: BigInt(promptTokens) * picodollars(input) + BigInt(completionTokens) * picodollars(output),
    tier,
    region: regional === true ? Math.max(1, price.regional ?? 1) : 1,
    fees: feesOf(searches, price),
  });
}

const dearestInput = (rates: Rates, { writes, media }: MostUsage): number =>
  Math.max(
    rates.input,
    rates.cached_input,
    writes === 'none' ? 0 : rates.cache_write,
    writes === 'long' ? rates.cache_write_long : 0,
    ...(media ? [rates.audio_input, rates.image_input] : []),
  );

/**
 * Cost of the prompt. Its parts have no more tokens together than it has, whatever a provider reports. Recordings and
 * images that were cached have their own rate: providers do not say how many of them were.
 */
function promptCost(usage: Usage, rates: Rates): bigint {
  const { cacheWriteTokens = 0, cacheWriteLongTokens = 0 } = usage;
  const long = Math.min(cacheWriteLongTokens, cacheWriteTokens);
  return partsCost(usage.promptTokens, rates.input, [
    [long, rates.cache_write_long],
    [cacheWriteTokens - long, rates.cache_write],
    [usage.audioPromptTokens, rates.audio_input],
    [usage.imagePromptTokens, rates.image_input],
    [usage.cachedTokens, rates.cached_input],
  ]);
}

const answerCost = (usage: Usage, rates: Rates): bigint =>
  partsCost(usage.completionTokens, rates.output, [
    [usage.audioCompletionTokens, rates.audio_output],
    [usage.imageCompletionTokens, rates.image_output],
  ]);

/** Returns the cost of tokens at a rate, except for parts of them that have their own rates. */
function partsCost(tokens: number, rate: number, parts: readonly (readonly [number | undefined, number])[]): bigint {
  let cost = 0n;
  let rest = tokens;
  for (const [wanted = 0, ownRate] of parts) {
    const taken = Math.min(wanted, rest);
    // Most calls have none of most parts.
    if (taken === 0) continue;
    rest -= taken;
    cost += BigInt(taken) * picodollars(ownRate);
  }
  return rest === 0 ? cost : cost + BigInt(rest) * picodollars(rate);
}

/** Returns the fees of searches in picodollars: their price is in US dollars per thousand. */
const feesOf = (searches: number, price: Price): bigint =>
  searches === 0 ? 0n : BigInt(searches) * picodollars(price.web_search ?? 0) * 1000n;

/** Returns a rate of micro-dollars as whole picodollars; binary fractions are a little too large or too small. */
const picodollars = (micro: number): bigint => BigInt(Math.ceil(Number((micro * 1e6).toFixed(3))));

interface Parts {
  /** In picodollars, before the factors. */
  readonly tokens: bigint;
  readonly tier: number;
  readonly region: number;
  /** In picodollars. */
  readonly fees: bigint;
}

/** Most that one call comes to, in micro-dollars: the largest budget. Nothing larger could be counted. */
const mostCost = maxBudgetDollars * 1_000_000;

/** Returns a sum in micro-dollars, rounded up. Factors are whole millionths, too. */
function sumUp({ tokens, tier, region, fees }: Parts): number {
  if (tokens === 0n && fees === 0n) return 0;
  const one = 1_000_000n;
  const scaled = tokens * picodollars(tier) * picodollars(region) + fees * one * one;
  const whole = one * one * one;
  return Math.min(mostCost, Number((scaled + whole - 1n) / whole));
}
