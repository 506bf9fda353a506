import type { Budget } from '@millrace/core';
import { createModelLookup, omitUndefined } from '@millrace/core';
import { expect, it } from 'vitest';
import { createVocabulary } from '../index.ts';
import { createDirectReader } from './workflow-reader.ts';

const lookup = createModelLookup([
  {
    origin: 'list',
    table: {
      hosts: { 'api.openai.com': { vendor: 'openai' }, '*': {} },
      families: { sun: { match: '^sun', vendor: 'openai', temperature: 'no', effort: ['low'], tool_choice: 'auto' } },
      models: {
        'sun-1': { retires: '2020-01-01', replacement: 'sun-3' },
        'sun-2': { retires: '2999-01-01', output: 10, price: { input: 1, output: 2 } },
        'sun-3': { output: 10, price: { input: 1, output: 2 } },
      },
    },
  },
]);
const reader = createDirectReader({ ...createVocabulary(), models: () => lookup });

async function warnings(config: string, more = '') {
  const text = `graph:\n  id: g\n${more}  nodes:\n    - id: A\n      type: agent\n      config:\n        provider: openai\n${config}`;
  const { issues } = await reader.read({ text, mode: 'check', wants: 'issues' }, 'default');
  return issues.map(({ code, line, column, message }) => `${code} ${line}:${column} ${message}`);
}

it('warns of a model that has retired, on its own host only', async () => {
  expect(await warnings('        name: sun-1\n')).toEqual([
    'W_MODEL_RETIRED 8:15 The model "sun-1" retired on 2020-01-01; use "sun-3"',
  ]);
  expect(await warnings('        name: sun-1\n        base_url: https://models.example/v1\n')).toEqual([]);
  expect(await warnings('        name: sun-2\n')).toEqual([]);
});

it('warns of the model that summarises, at its place', async () => {
  expect(
    await warnings('        name: sun-2\n        context: {then: summarize, summarizer: {name: sun-1}}\n'),
  ).toEqual(['W_MODEL_RETIRED 9:55 The model "sun-1" retired on 2020-01-01; use "sun-3"']);
});

it('warns of models under `fallback`, at their places', async () => {
  const fallback =
    'fallback: [{provider: openai, name: sun-1}, {provider: openai, name: sun-3, params: {temperature: 1}}]';
  expect(await warnings(`        name: sun-2\n        ${fallback}\n`)).toEqual([
    'W_MODEL_RETIRED 9:45 The model "sun-1" retired on 2020-01-01; use "sun-3"',
    'W_PARAM_REFUSED 9:94 The model "sun-3" takes no temperature',
  ]);
});

it('warns of a provider that does not exist, of each model at its place', async () => {
  const others =
    '        fallback: [{provider: antropic, name: sun-3}]\n        context: {then: summarize, summarizer: {provider: gemeni, name: sun-3}}\n';
  expect(await warnings(`        name: sun-3\n${others}`)).toEqual([
    expect.stringMatching(/^W_PROVIDER_UNKNOWN 9:31 .*"antropic"/),
    expect.stringMatching(/^W_PROVIDER_UNKNOWN 10:59 .*"gemeni"/),
  ]);
  const misspelt = await reader.read(
    {
      text: 'graph:\n  id: g\n  nodes:\n    - id: A\n      type: agent\n      config: {provider: opnai, name: m, context: {then: summarize, summarizer: {name: n}}}\n',
      mode: 'check',
      wants: 'issues',
    },
    'default',
  );
  expect(misspelt.issues).toMatchObject([
    { code: 'W_PROVIDER_UNKNOWN', line: 6, path: 'graph.nodes[0].config.provider', hint: 'Did you mean "openai"?' },
  ]);
  const later = await reader.read(
    {
      text: 'graph:\n  id: g\n  nodes: [{id: A, type: agent, config: {provider: "${PROVIDER_OF_NOBODY}", name: m}}]\n',
      mode: 'check',
      wants: 'issues',
    },
    'default',
  );
  expect(later.issues.map(({ code }) => code)).toEqual(['W_VARIABLE_UNRESOLVED']);
});

it('warns of a model without a price also for a budget that only the run has', async () => {
  const text = 'graph:\n  id: g\n  nodes: [{id: A, type: agent, config: {provider: openai, name: moon-1}}]\n';
  const codes = async (budget?: Budget) =>
    (await reader.read({ text, mode: 'check', wants: 'issues', ...omitUndefined({ budget }) }, 'default')).issues.map(
      ({ code }) => code,
    );

  expect([await codes(), await codes({ tokens: 100 }), await codes({ microUsd: 5 }), await codes()]).toEqual([
    [],
    [],
    ['W_PRICE_UNKNOWN'],
    [],
  ]);
});

it('warns of params that the model refuses, at their places', async () => {
  const params = 'params: {temperature: 0.5, effort: high, tool_choice: required, max_tokens: 11}';
  expect(await warnings(`        name: sun-3\n        ${params}\n`)).toEqual([
    'W_PARAM_REFUSED 9:18 The model "sun-3" takes no temperature',
    'W_PARAM_REFUSED 9:36 The model "sun-3" knows the efforts low',
    'W_PARAM_REFUSED 9:50 The model "sun-3" does not let requests force a call of a tool',
    'W_PARAM_REFUSED 9:73 The model "sun-3" answers with at most 10 tokens',
  ]);
  expect(await warnings('        name: sun-3\n        params: {temperature: null, effort: low}\n')).toEqual([]);
});

it('warns of a list price on another host where a budget counts dollars', async () => {
  const elsewhere = '        name: sun-3\n        base_url: https://models.example/v1\n';
  expect(await warnings(elsewhere, '  budget: {usd: 1}\n')).toEqual([expect.stringMatching(/^W_PRICE_ASSUMED 9:15/)]);
  expect(await warnings(elsewhere)).toEqual([]);
  expect(await warnings('        name: sun-3\n', '  budget: {usd: 1}\n')).toEqual([]);
  const priced = '  budget: {usd: 1}\n  prices: {sun-3: {input: 0, output: 0}}\n';
  expect(await warnings(elsewhere, priced)).toEqual([]);
});

it('warns of every model without a price where a budget counts dollars, also of those asked in the place of another', async () => {
  const config = '        name: sun-3\n        fallback: [{provider: openai, name: moon-1}]\n';
  expect(await warnings(config, '  budget: {usd: 1}\n')).toEqual([
    expect.stringMatching(/^W_PRICE_UNKNOWN .*"moon-1"/),
  ]);
  expect(await warnings(config, '  budget: {tokens: 1000}\n')).toEqual([]);
  expect(await warnings(config, '  budget: {usd: 1}\n  prices: {moon-1: {input: 0, output: 0}}\n')).toEqual([]);
  const unresolved = '        name: ${MODEL_OF_NOBODY}\n';
  expect((await warnings(unresolved, '  budget: {usd: 1}\n')).filter((text) => text.includes('PRICE'))).toEqual([]);
});

it('names functions of the original engine that are not available', async () => {
  const tools = 'tooling: [{type: function, config: {tools: [{name: web_search}, {name: get_current_time}]}}]';
  expect((await warnings(`        name: sun-3\n        ${tools}\n`)).filter((text) => text.includes('W_'))).toEqual([
    expect.stringMatching(/^W_TOOL_UNAVAILABLE .*"web_search".*it needs a search service/),
  ]);
});
