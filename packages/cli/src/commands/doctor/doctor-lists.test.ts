import type { LocatedModel } from '@millrace/core';
import { createModelLookup } from '@millrace/core';
import { expect, it } from 'vitest';
import { openBeforeEach } from '../../../../../test/support/fixtures.ts';
import { startFakeProvider } from '../../../../../test/support/provider/provider.ts';
import { compareWithList } from './doctor-lists.ts';

const provider = openBeforeEach(() => startFakeProvider());
const lookup = createModelLookup([
  {
    origin: 'list',
    table: {
      models: { 'claude-opus-5': { context: 7 }, 'claude-haiku-4-5': {}, 'claude-old': { aliases: ['claude-opus-5'] } },
    },
  },
]);
const named = (vendor: string, ...models: readonly string[]): readonly LocatedModel[] =>
  models.map((model) => ({
    provider: vendor,
    model,
    params: {},
    paramPositions: {},
    ...{ file: 'flow.yaml', line: 1, column: 1, path: '' },
  }));
const compare = async (vendor: string, models: readonly LocatedModel[], baseUrl = provider.at(vendor)) =>
  (await compareWithList({ provider: vendor, baseUrl, apiKey: 'key', fetch }, models, lookup)).map(
    ({ message }) => message,
  );

it('names models that the list of a vendor has not, and limits that differ from the table', async () => {
  const models = named('anthropic', 'claude-opus-5', 'claude-haiku-4-5', 'claude-old', 'claude-no');

  const [limit, ...others] = await compare('anthropic', models);

  expect(limit).toMatch(/^claude-opus-5: the vendor says context \d+, the table 7$/);
  expect(others).toEqual(['claude-no is not in the list of models that the key may use']);
});

it.each([
  ['openai', 'gpt-6-luna'],
  ['gemini', 'models/gemini-3.5-flash'],
])('reads the list of %s', async (vendor, model) => {
  expect(await compare(vendor, named(vendor, model, 'no-such-model'))).toEqual([
    'no-such-model is not in the list of models that the key may use',
  ]);
});

it('asks for no list where no workflow names a model with the key', async () => {
  const elsewhere = named('openai', 'm').map((model) => ({ ...model, baseUrl: 'http://localhost:1' }));

  expect(await compare('openai', [...elsewhere, ...named('gemini', 'm')])).toEqual([]);
  expect(provider.requests).toEqual([]);
});

it.each([
  ['/nothing-here', /status 404/],
  ['not a url', /its list of models: /],
])('says why the list cannot be read: %s', async (path, reason) => {
  const baseUrl = path.startsWith('/') ? `${provider.url}${path}` : path;

  expect(await compare('openai', named('openai', 'm'), baseUrl)).toEqual([expect.stringMatching(reason)]);
});
