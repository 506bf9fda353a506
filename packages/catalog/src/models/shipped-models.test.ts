import { createModelLookup } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { shippedModels } from './shipped-models.ts';

const lookup = createModelLookup([{ origin: 'list', table: shippedModels() }]);
const rows = Object.entries(shippedModels().models ?? {});
const profileOf = (model: string, provider = 'openai', baseUrl?: string) =>
  lookup.profile({ provider, model, baseUrl });
const priceOf = (model: string, provider = 'openai', baseUrl?: string) => lookup.price({ provider, model, baseUrl });

describe('the shipped facts about models', () => {
  it('have one family with a vendor for every model', () => {
    for (const [name] of rows) {
      const provider = name.startsWith('claude') ? 'anthropic' : name.startsWith('gemini') ? 'gemini' : 'openai';
      const baseUrl = name.startsWith('deepseek') ? 'https://api.deepseek.com/v1' : undefined;
      expect(profileOf(name, provider, baseUrl), name).toMatchObject({ known: true, ownHost: true });
    }
    const families = Object.values(shippedModels().families ?? {}).map(({ match = '' }) => new RegExp(match));
    for (const [name] of rows)
      expect(families.filter((match) => match.test(name)).length, name).toBeGreaterThanOrEqual(1);
  });

  it('refer only to models of the same table', () => {
    const names = new Set(rows.map(([name]) => name));
    for (const [, { replacement, routes_to }] of rows)
      for (const other of [replacement, routes_to]) if (other !== undefined) expect(names).toContain(other);
  });

  it('never charge less for a long prompt, for output, for writes, or for tokens that are not cached', () => {
    for (const [name, { price }] of rows) {
      if (price === undefined) continue;
      const { input, cached_input = input, cache_write = input, output, long } = price;
      expect(cached_input, name).toBeLessThanOrEqual(input);
      expect(cache_write, name).toBeGreaterThanOrEqual(input);
      expect(price.cache_write_long ?? cache_write, name).toBeGreaterThanOrEqual(cache_write);
      if (!name.startsWith('text-embedding-')) expect(output, name).toBeGreaterThan(input);
      expect(long?.input ?? input, name).toBeGreaterThanOrEqual(input);
    }
  });

  it('price dated versions and aliases as their model, and no other names that begin alike', () => {
    expect(priceOf('gpt-4o-2024-08-06')).toEqual(priceOf('gpt-4o'));
    expect(priceOf('claude-opus-4-0', 'anthropic')).toEqual(priceOf('claude-opus-4', 'anthropic'));
    expect(priceOf('claude-sonnet-5-5', 'anthropic')?.price.cached_input).toBe(0.1);
    expect(priceOf('claude-sonnet-5', 'anthropic')?.price.cached_input).toBe(0.2);
    for (const name of ['gpt-4o-audio', 'gpt-6-sol-mini', 'openai/gpt-6-sol', 'constructor'])
      expect(priceOf(name), name).toBeUndefined();
  });

  it('mark a list price as assumed on a host that is not the vendor’s', () => {
    expect(priceOf('gpt-6-sol')?.rates).toBe(`list ${shippedModels().dated}`);
    expect(priceOf('gpt-6-sol', 'openai', 'https://eu.api.openai.com/v1')?.rates).toMatch(/^list/);
    expect(priceOf('gpt-6-sol', 'openai', 'https://models.example/v1')?.rates).toBe('assumed');
    expect(priceOf('deepseek-chat', 'openai', 'https://api.deepseek.com')?.rates).toMatch(/^list/);
  });
});
