import type { ModelTable, Usage } from '@millrace/core';
import { createModelLookup } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { boundTermsOf, withCost } from './price.ts';

const own: ModelTable = { models: { 'our-model': { price: { input: 1, output: 1 } } } };
const list: ModelTable = {
  dated: '2026-11-26',
  hosts: {
    'generativelanguage.googleapis.com': { vendor: 'google' },
    'router.example': { reports_cost: true },
    'eu.vendor.example': { vendor: 'google', regional: true },
  },
  models: {
    'gemini-old': { vendor: 'google', routes_to: 'gemini-new', price: { input: 2, output: 2 } },
    'gemini-new': { vendor: 'google', price: { input: 5, output: 5, regional: 1.1 } },
    'gemini-leaving': {
      vendor: 'google',
      retires: '2026-12-01',
      routes_to: 'gemini-new',
      price: { input: 2, output: 2 },
    },
    'gemini-ending': { vendor: 'google', retires: '2026-12-01', price: { input: 2, output: 2 } },
    'gemini-lost': {
      vendor: 'google',
      retires: '2026-12-01',
      routes_to: 'gemini-secret',
      price: { input: 2, output: 2 },
    },
  },
};
const worker = {
  models: () =>
    createModelLookup([
      { origin: 'operator', table: own },
      { origin: 'list', table: list },
    ]),
};
const usage: Usage = { promptTokens: 100, completionTokens: 0 };
const paid = (model: string, reported: Partial<Usage> = {}, more: object = {}) =>
  withCost(worker, {}, { provider: 'gemini', model, ...more }, { ...usage, ...reported });

describe('the cost of a call', () => {
  it('is at the price of the model that answered', () => {
    expect(paid('gemini-old')).toEqual({ ...usage, microUsd: 200, rates: 'list 2026-11-26' });
    expect(paid('gemini-old', { model: 'gemini-new' })).toEqual({
      ...usage,
      model: 'gemini-new',
      microUsd: 500,
      rates: 'list 2026-11-26',
    });
  });

  it('is at the price of the model that was asked if the other one has none, or only a list price', () => {
    expect(paid('gemini-old', { model: 'gemini-secret' })).toMatchObject({ model: 'gemini-secret', microUsd: 200 });
    expect(paid('our-model', { model: 'gemini-new' })).toMatchObject({ microUsd: 100, rates: 'operator' });
    const plan = { prices: { 'gemini-old': { input: 3, output: 3 } } };
    const asked = { provider: 'gemini', model: 'gemini-old' };
    expect(withCost(worker, plan, asked, { ...usage, model: 'gemini-new' })).toMatchObject({
      microUsd: 300,
      rates: 'graph',
    });
  });

  it('leaves the model out that was asked, and the cost where no price is known', () => {
    expect(paid('unheard-of', { model: 'unheard-of' })).toEqual(usage);
  });

  it('is assumed behind the address of another server, and dearer in a region', () => {
    expect(paid('gemini-new', {}, { baseUrl: 'https://other.example' })).toMatchObject({
      microUsd: 500,
      rates: 'assumed',
    });
    expect(paid('gemini-new', {}, { baseUrl: 'https://eu.vendor.example' })).toMatchObject({ microUsd: 550 });
  });

  it('is as the provider reports it only where its host is known for that, or the author says so', () => {
    const reported = { microUsd: 7, rates: 'reported' };
    expect(paid('gemini-old', reported)).toMatchObject({ microUsd: 200, rates: 'list 2026-11-26' });
    expect(paid('gemini-old', reported, { baseUrl: 'https://router.example/v1' })).toEqual({ ...usage, ...reported });
    expect(paid('gemini-old', reported, { params: { cost: 'reported' } })).toEqual({ ...usage, ...reported });
    expect(paid('unheard-of', reported)).toEqual(usage);
  });

  it('is nothing for a script, unless the graph has a price', () => {
    const script = { provider: 'scripted', model: 'gemini-old' };
    expect(withCost(worker, {}, script, usage)).toEqual({ ...usage, microUsd: 0 });
    const plan = { prices: { 'gemini-old': { input: 3, output: 3 } } };
    expect(withCost(worker, plan, script, usage)).toEqual({ ...usage, microUsd: 300, rates: 'graph' });
  });
});

describe('the terms by which a call is bounded', () => {
  const inputs = (model: string, at: string, more: object = {}) =>
    boundTermsOf(worker, {}, { provider: 'gemini', model, ...more }, Date.parse(at)).map(({ price }) => price.input);

  it('are those of the model until a day before its retirement, then also those of the model that answers', () => {
    expect(inputs('gemini-leaving', '2026-11-29T23:59:59Z')).toEqual([2]);
    expect(inputs('gemini-leaving', '2026-11-30T00:00:00Z')).toEqual([2, 5]);
    expect(inputs('gemini-leaving', '2027-06-01T00:00:00Z')).toEqual([2, 5]);
  });

  it('are its own alone if no other model answers, or one without a price', () => {
    expect(inputs('gemini-ending', '2027-06-01T00:00:00Z')).toEqual([2]);
    expect(inputs('gemini-lost', '2027-06-01T00:00:00Z')).toEqual([2]);
  });

  it('are those that the graph writes for each of them', () => {
    const plan = { prices: { 'gemini-leaving': { input: 7, output: 7 } } };
    const terms = boundTermsOf(worker, plan, { provider: 'gemini', model: 'gemini-leaving' }, Date.parse('2027-01-01'));
    expect(terms.map(({ price, rates }) => [price.input, rates])).toEqual([
      [7, 'graph'],
      [5, 'list 2026-11-26'],
    ]);
  });

  it('include the region where only the reply names it', () => {
    const [google] = boundTermsOf(worker, {}, { provider: 'gemini', model: 'gemini-new' }, 0);
    const [anthropic] = boundTermsOf(worker, {}, { provider: 'anthropic', model: 'our-model' }, 0);
    expect([google?.regional, anthropic?.regional]).toEqual([false, true]);
  });
});
