import { describe, expect, it } from 'vitest';
import type { ListedModel } from './model-list.ts';
import { createModelLookup } from './model-lookup.ts';
import { ModelTable } from './model-table.ts';
import type { UpdatedTables } from './update-models.ts';
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

const lookupOf = (table: ModelTable | undefined) =>
  createModelLookup([...(table === undefined ? [] : [table]), shipped].map((one) => ({ origin: 'list', table: one })));

/** Plans an update over the shipped table and those of an earlier update. */
function planned(models: Readonly<Record<string, ListedModel>>, stored?: UpdatedTables) {
  const [known, floor] = [lookupOf(stored?.table), lookupOf(stored?.floor)];
  return planModelUpdate({ source: 'a list', dated: '2026-11-27', models }, { known, floor, stored });
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

  it.each<readonly [string, ListedModel, ListedModel]>([
    [
      'a price of the shipped table',
      { price: { input: 1.2, output: 6, long: { above: 100, input: 2.4, output: 12 } } },
      { price: { input: 0.9, output: 5, long: { above: 100, input: 2, output: 10 } } },
    ],
    ['the context', { context: 600 }, { context: 400 }],
    ['the context at once', {}, { context: 499 }],
    ['the limit of an answer', { output: 100 }, { output: 49 }],
    ['most words for the effort', { effort: ['low', 'mid', 'high', 'max'] }, { effort: ['low'] }],
  ])('marks a fall of %s, also in several updates', (_what, first, second) => {
    const stored = planned({ 'sol-2': first });
    const steps = [stored, planned({ 'sol-2': second }, stored)];

    expect(steps.flatMap(({ changes }) => changes.map(({ isDrop }) => isDrop)).at(-1)).toBe(true);
    expect(stored.changes.every(({ isDrop }) => !isDrop)).toBe(true);
  });

  it('marks a price that rose and fell again, and the steps of a model that only lists have', () => {
    const price = (input: number) => ({ 'sol-9': { price: { input, output: 100 } } });
    let stored = planned(price(2));
    const marks = [8, 5, 4, 3.9, 3].map((input) => {
      const next = planned(price(input), stored);
      const [change] = next.changes;
      if (change?.isDrop !== true) stored = next;
      return change?.isDrop;
    });
    expect(marks).toEqual([false, false, false, true, true]);
  });

  it('compares with what was accepted, from then on', () => {
    const price = (input: number) => ({ 'sol-2': { price: { input, output: 10 } } });
    const accepted = planned(price(0.5), planned(price(1.5)));
    expect(accepted.changes).toMatchObject([{ isDrop: true }]);

    expect(planned(price(0.5), accepted).changes).toEqual([]);
    expect(planned(price(0.4), accepted).changes).toMatchObject([{ isDrop: false }]);
    expect(planned(price(0.2), accepted).changes).toMatchObject([{ isDrop: true }]);
  });

  it('takes a fall to half of a price for true', () => {
    const price = { input: 1, output: 5, long: { above: 100, input: 2, output: 10 } };
    expect(planned({ 'sol-2': { price } }).changes).toMatchObject([{ model: 'sol-2', isDrop: false }]);
  });

  it('marks a model of the last update that the list has no more', () => {
    const stored = planned({ 'sol-9': { price: { input: 1, output: 2 } }, 'sol-2': { context: 3000 } });
    const { changes, table } = planned({ 'sol-2': { context: 3000 } }, stored);
    expect(changes).toMatchObject([{ model: 'sol-9', type: 'vanished', isDrop: true }]);
    expect(Object.keys(table.models ?? {})).toEqual(['sol-2']);
  });

  it('keeps facts of earlier updates that the list leaves out', () => {
    const stored = planned({ 'sol-9': { context: 7, price: { input: 1, output: 2 } } });
    const { changes, table } = planned({ 'sol-9': { context: 8 } }, stored);
    expect(changes).toMatchObject([{ fields: [{ field: 'context', before: 7, after: 8 }] }]);
    expect(table.models?.['sol-9']).toMatchObject({ context: 8, price: { input: 1 } });
  });
});
