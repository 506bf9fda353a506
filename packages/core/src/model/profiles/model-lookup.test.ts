import { describe, expect, it } from 'vitest';
import type { ModelSource } from './model-lookup.ts';
import { createModelLookup } from './model-lookup.ts';
import { ModelTable } from './model-table.ts';

const list: ModelSource = {
  origin: 'list',
  table: ModelTable.parse({
    dated: '2026-11-26',
    hosts: {
      '*': { protocol: 'chat', limit: 'max_tokens' },
      '*.api.openai.com': { vendor: 'openai', protocol: 'responses', regional: true },
      'api.openai.com': { vendor: 'openai', protocol: 'responses', limit: 'max_completion_tokens' },
    },
    families: {
      'sol-2': { match: '^sol-2', vendor: 'openai', temperature: 'no', effort: ['low'] },
      sol: { match: '^sol', vendor: 'openai', temperature: 'yes', protocol: 'chat' },
    },
    models: {
      'sol-2': { context: 1000, retires: '2027-01-14', aliases: ['sol-two'], price: { input: 1, output: 2 } },
    },
  }),
};
const operator = (table: ModelTable): ModelSource => ({ origin: 'operator', table: ModelTable.parse(table) });

describe('createModelLookup', () => {
  const lookup = createModelLookup([list]);

  it('merges the host, the family and the row of a model, the last one first', () => {
    expect(lookup.profile({ provider: 'openai', model: 'sol-2' })).toEqual({
      known: true,
      host: 'openai',
      ownHost: true,
      protocol: 'responses',
      limit: 'max_completion_tokens',
      temperature: 'no',
      effort: ['low'],
      context: 1000,
      retires: '2027-01-14',
      aliases: ['sol-two'],
    });
    expect(lookup.profile({ provider: 'openai', model: 'sol-3' })).toMatchObject({
      temperature: 'yes',
      protocol: 'chat',
    });
  });

  it('knows only the host of an unknown model', () => {
    expect(lookup.profile({ provider: 'openai', model: 'moon' })).toMatchObject({
      known: false,
      protocol: 'responses',
    });
    expect(lookup.profile({ provider: 'openai', model: 'moon', baseUrl: 'http://localhost:8000/v1' })).toEqual({
      known: false,
      ownHost: false,
      protocol: 'chat',
      limit: 'max_tokens',
    });
    expect(
      lookup.profile({ provider: 'openai', model: 'moon', baseUrl: 'https://eu.api.openai.com/v1' }),
    ).toMatchObject({ host: 'openai', regional: true });
  });

  it('takes the capabilities of a model with a vendor prefix, but neither its price nor its retirement', () => {
    const asked = { provider: 'openai', model: 'openai/sol-2', baseUrl: 'https://router.example/v1' };
    expect(lookup.profile(asked)).toMatchObject({ known: true, temperature: 'no', context: 1000 });
    expect(lookup.profile(asked)).not.toHaveProperty('retires');
    expect(lookup.price(asked)).toBeUndefined();
  });

  it('lets the first table with a field win, and keeps the order of patterns', () => {
    const own = createModelLookup([
      operator({
        families: { sol: { structured: 'json' } },
        models: { 'sol-2': { retires: null, context: 5, price: { input: 7, output: 7 } } },
      }),
      list,
    ]);
    expect(own.profile({ provider: 'openai', model: 'sol-2' })).toMatchObject({
      retires: null,
      context: 5,
      temperature: 'no',
      aliases: ['sol-two'],
    });
    expect(own.price({ provider: 'openai', model: 'sol-2' })).toEqual({
      price: { input: 7, output: 7 },
      rates: 'operator',
    });
  });

  it('takes a price by the exact name, an alias or a dated version, the graph’s first', () => {
    const asked = (model: string) => ({ provider: 'openai', model });
    const found = { price: { input: 1, output: 2 }, rates: 'list 2026-11-26' };
    for (const name of ['sol-2', 'sol-two', 'sol-2-2026-10-01', 'sol-2-latest', 'models/sol-2'])
      expect(lookup.price(asked(name)), name).toEqual(found);
    for (const name of ['sol', 'sol-2-mini', 'sol-2.1', 'constructor'])
      expect(lookup.price(asked(name)), name).toBeUndefined();
    expect(lookup.price(asked('sol-2-2026-10-01'), { 'sol-2': { input: 9, output: 9 } })?.rates).toBe('graph');
  });
});
