import { expect, it } from 'vitest';
import { ModelUsage, Usage } from '../recorded.ts';
import { addModelCall, addUsage, noModelUsage, subtractUsage, tokenParts, tokensOf, usageFields } from './usage.ts';

const call = { promptTokens: 10, completionTokens: 5 };

it('counts calls without a price, and has no cost when all are', () => {
  const unpriced = addModelCall(noModelUsage, call);
  expect(unpriced).toEqual({ ...call, calls: 1, unpriced: 1 });

  const both = addModelCall(unpriced, { ...call, cachedTokens: 4, microUsd: 7 });
  expect(both).toEqual({ calls: 2, promptTokens: 20, completionTokens: 10, cachedTokens: 4, microUsd: 7, unpriced: 1 });
});

it('adds usages in any order', () => {
  const a = addModelCall(noModelUsage, { ...call, microUsd: 7 });
  const b = addModelCall(noModelUsage, { ...call, cachedTokens: 2 });

  expect(addUsage(a, b)).toEqual(addUsage(b, a));
  expect(addUsage(noModelUsage, a)).toEqual(a);
});

it('has the tokens of prompts and answers together, and none of no usage', () => {
  expect(tokensOf(call)).toBe(15);
  expect(tokensOf(undefined)).toBe(0);
});

it('sums every part, and counts requests to tools of the provider together', () => {
  const parts = Object.fromEntries(tokenParts.map((part, at) => [part, at + 1]));
  const first = addModelCall(noModelUsage, { ...call, ...parts, tier: 'flex', requests: { web_search: 2, maps: 1 } });

  const sum = addModelCall(first, { ...call, ...parts, requests: { web_search: 4 } });

  expect(sum).toEqual({
    calls: 2,
    promptTokens: 20,
    completionTokens: 10,
    ...Object.fromEntries(tokenParts.map((part, at) => [part, 2 * (at + 1)])),
    toolRequests: 7,
    unpriced: 2,
  });
  expect(subtractUsage(sum, first)).toEqual({ ...first, toolRequests: 4 });
});

it('has the same fields as the schemas', () => {
  expect(new Set(usageFields)).toEqual(new Set(Object.keys(ModelUsage.shape)));
  const details = ['requests', 'tier', 'region', 'model', 'rates'];
  const numbers = ['promptTokens', 'completionTokens', 'microUsd', 'savedMicroUsd', ...tokenParts];
  expect(new Set([...numbers, ...details])).toEqual(new Set(Object.keys(Usage.shape)));
});
