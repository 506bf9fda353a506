import { expect, it } from 'vitest';
import { costOf } from './cost.ts';
import { Price } from './price.ts';

const largest = {
  input: 1_000_000,
  output: 1_000_000,
  tiers: { priority: 1000 },
  regional: 1000,
  web_search: 1_000_000,
};

it.each([
  { ...largest, input: 1_000_001 },
  { ...largest, output: 1e305 },
  { ...largest, cache_write: Number.POSITIVE_INFINITY },
  { ...largest, long: { above: 1, input: 1e305, output: 1 } },
  { ...largest, tiers: { priority: 1e300 } },
  { ...largest, regional: 1001 },
  { ...largest, input: -1 },
])('refuses a price that cannot be counted exactly: %j', (price) => {
  expect(Price.safeParse(price).success).toBe(false);
});

it('counts with the largest price', () => {
  expect(Price.safeParse(largest).success).toBe(true);
  const usage = { promptTokens: 2, completionTokens: 0, tier: 'priority', requests: { web_search: 1 } };
  expect(costOf(usage, { price: largest, provider: 'openai', regional: true })).toBe(2 * 1e12 + 1e9);
});
