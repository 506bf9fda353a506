import { describe, expect, it } from 'vitest';
import type { ListedModel } from './model-list.ts';
import { createModelLookup } from './model-lookup.ts';
import { ModelTable } from './model-table.ts';
import { planModelUpdate } from './update-models.ts';

const shipped = ModelTable.parse({
  dated: '2026-11-01',
  hosts: { 'api.openai.com': { vendor: 'openai' } },
  families: { sol: { match: '^sol', vendor: 'openai', temperature: 'with_effort_none', tool_choice: 'forced' } },
  models: {
    'sol-2': {
      context: 1000,
      price: {
        input: 2,
        output: 10,
        cache_write_long: 5,
        tiers: { flex: 0.5 },
        web_search: 10,
        long: { above: 100, input: 4, output: 20 },
      },
    },
    'sol-1': { context: 500 },
  },
});

/** Plans an update over the shipped table and that of an earlier update. */
function planned(models: Readonly<Record<string, ListedModel>>, stored?: ModelTable) {
  const sources = [...(stored === undefined ? [] : [stored]), shipped];
  const known = createModelLookup(sources.map((table) => ({ origin: 'list', table })));
  return planModelUpdate({ source: 'a list', dated: '2026-11-27', models }, { known, stored });
}

describe('planModelUpdate', () => {
  it('says nothing of a list that agrees', () => {
    const price = { input: 2, output: 10, long: { above: 100, input: 4, output: 20 } };
    expect(planned({ 'sol-2': { context: 1000, temperature: 'no', price } }).changes).toEqual([]);
  });

  it('shows the fields of new and changed models, and leaves all others as they are', () => {
    const { changes, table } = planned({
      'sol-2': { context: 2000 },
      'sol-3': { vendor: 'openai', price: { input: 1, output: 2 } },
    });
    expect(changes).toEqual([
      {
        model: 'sol-2',
        type: 'changed',
        fields: [{ field: 'context', before: 1000, after: 2000 }],
        isDrop: false,
      },
      {
        model: 'sol-3',
        type: 'new',
        fields: [
          { field: 'price.input', after: 1 },
          { field: 'price.output', after: 2 },
        ],
        isDrop: false,
      },
    ]);
    expect(table.models).not.toHaveProperty('sol-1');
  });

  it('keeps the parts of a price that a list does not state, in proportion to the others', () => {
    const { table } = planned({
      'sol-2': { price: { input: 4, output: 20, tiers: { priority: 2 }, long: { above: 100, input: 8, output: 40 } } },
    });
    expect(table.models?.['sol-2']?.price).toEqual({
      source: 'a list',
      seen: '2026-11-27',
      input: 4,
      output: 20,
      cache_write_long: 10,
      tiers: { flex: 0.5, priority: 2 },
      web_search: 10,
      long: { above: 100, input: 8, output: 40 },
    });
  });

  it.each([
    ['the price of the prompt', { input: 0.9, output: 10, long: { above: 100, input: 4, output: 20 } }],
    ['the price of the answer', { input: 2, output: 4, long: { above: 100, input: 4, output: 20 } }],
    ['the price of long prompts', { input: 2, output: 10, long: { above: 100, input: 1.9, output: 20 } }],
    ['the price of cached tokens', { input: 2, cached_input: 0.5, output: 10 }],
    ['the factor of a tier', { input: 2, output: 10, tiers: { flex: 0.2 } }],
    ['the length of cheap prompts', { input: 2, output: 10, long: { above: 1000, input: 4, output: 20 } }],
  ])('marks a fall of %s', (_what, price) => {
    expect(planned({ 'sol-2': { price } }).changes).toMatchObject([{ model: 'sol-2', isDrop: true }]);
  });

  it('takes a fall to half of a price for true', () => {
    const price = { input: 1, output: 5, long: { above: 100, input: 2, output: 10 } };
    expect(planned({ 'sol-2': { price } }).changes).toMatchObject([{ model: 'sol-2', isDrop: false }]);
  });

  it('marks a model of the last update that the list has no more', () => {
    const stored = planned({ 'sol-9': { price: { input: 1, output: 2 } }, 'sol-2': { context: 3000 } }).table;
    const { changes, table } = planned({ 'sol-2': { context: 3000 } }, stored);
    expect(changes).toMatchObject([{ model: 'sol-9', type: 'vanished', isDrop: true }]);
    expect(Object.keys(table.models ?? {})).toEqual(['sol-2']);
  });

  it('keeps facts of earlier updates that the list leaves out', () => {
    const stored = planned({ 'sol-9': { context: 7, price: { input: 1, output: 2 } } }).table;
    const { changes, table } = planned({ 'sol-9': { context: 8 } }, stored);
    expect(changes).toMatchObject([{ fields: [{ field: 'context', before: 7, after: 8 }] }]);
    expect(table.models?.['sol-9']).toMatchObject({ context: 8, price: { input: 1 } });
  });
});
