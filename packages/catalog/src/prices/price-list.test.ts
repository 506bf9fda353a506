import { costOf, priceOf } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { shippedPrices } from './price-list.ts';

describe('the price list', () => {
  it('finds models by their names and by the names of their versions', () => {
    const tables = [shippedPrices()];
    expect(priceOf('gpt-4o', tables)).toEqual({ input: 2.5, cached_input: 1.25, output: 10 });
    expect(priceOf('gpt-4o-2024-08-06', tables)).toEqual(priceOf('gpt-4o', tables));
    expect(priceOf('claude-sonnet-4-5-20250929', tables)).toEqual(priceOf('claude-sonnet-4-5', tables));
    expect(priceOf('gpt-4o-mini', tables)).not.toEqual(priceOf('gpt-4o', tables));
  });

  it('has no price for other models whose names begin alike', () => {
    expect(priceOf('gpt-4o-audio', [shippedPrices()])).toBeUndefined();
    expect(priceOf('constructor', [shippedPrices()])).toBeUndefined();
  });

  it('gives a table of the operator precedence', () => {
    const own = { 'gpt-4o': { input: 1, output: 1 } };
    expect(priceOf('gpt-4o', [own, shippedPrices()])).toEqual({ input: 1, output: 1 });
    expect(priceOf('gpt-4o-2024-08-06', [own, shippedPrices()])).toEqual({ input: 1, output: 1 });
  });

  it('never charges less for a long prompt, for output, or for tokens that are not cached', () => {
    for (const [name, { input, cached_input = input, output, long }] of Object.entries(shippedPrices())) {
      expect(cached_input).toBeLessThanOrEqual(input);
      if (!name.startsWith('text-embedding-')) expect(output).toBeGreaterThan(input);
      expect(long?.input ?? input).toBeGreaterThanOrEqual(input);
    }
  });
});

describe('costOf', () => {
  const price = { input: 2.5, cached_input: 1.25, output: 10 };

  it('counts whole micro-dollars, rounded up', () => {
    expect(costOf(price, { promptTokens: 1, completionTokens: 0 })).toBe(3);
    expect(costOf({ input: 0.1, output: 0.4 }, { promptTokens: 30, completionTokens: 0 })).toBe(3);
  });

  it('charges less for cached tokens', () => {
    expect(costOf(price, { promptTokens: 1000, cachedTokens: 600, completionTokens: 100 })).toBe(2750);
  });

  it('charges more for a long prompt', () => {
    const long = { above: 100, input: 5, output: 15 };
    expect(costOf({ ...price, long }, { promptTokens: 100, completionTokens: 1 })).toBe(260);
    expect(costOf({ ...price, long }, { promptTokens: 101, completionTokens: 1 })).toBe(520);
  });
});
