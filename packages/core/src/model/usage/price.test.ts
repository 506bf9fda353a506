import { describe, expect, it } from 'vitest';
import { costOf } from './price.ts';

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
