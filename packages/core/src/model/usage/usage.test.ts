import { expect, it } from 'vitest';
import { addModelCall, addUsage, noModelUsage, tokensOf } from './usage.ts';

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
