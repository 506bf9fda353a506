import { defineTool } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openBeforeAll } from '../../support/fixtures.ts';
import type { ModelRules } from '../../support/provider/bill/models.ts';
import { models, rulesOf } from '../../support/provider/bill/models.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { openStage } from '../../support/runs/stage.ts';
import type { Vendor } from '../../support/runs/vendors-at-fake.ts';
import { sendVendorsToFake } from '../../support/runs/vendors-at-fake.ts';

/* An agent that names nothing but its model is refused by no vendor: not with tools, as a boss, or under a budget. */

interface Row {
  readonly provider: Vendor;
  readonly model: string;
  readonly rules: ModelRules;
}

/** Names that no table has: the vendor's strictest rules hold for them. */
const unknown: readonly (readonly [Vendor, string])[] = [
  ['openai', 'gpt-9-sun'],
  ['openai', 'a-model-of-tomorrow'],
  ['anthropic', 'claude-sonnet-9'],
  ['gemini', 'gemini-9-flash'],
];
const known = Object.entries(models).flatMap(([model, { vendor, gone }]) =>
  gone || vendor === 'compatible' ? [] : [[vendor, model] as const],
);
const rowOf = ([provider, model]: readonly [Vendor, string]): Row => ({
  provider,
  model,
  rules: rulesOf(provider, model),
});
const knownRows = known.map(rowOf);
const rows = [...knownRows, ...unknown.map(rowOf)];

const fake = openBeforeAll(() =>
  startFakeProvider({
    reply: ({ tools }) =>
      tools.some(({ name }) => name === 'finish')
        ? { calls: [{ name: 'finish', arguments: { summary: 'Done.' } }] }
        : undefined,
  }),
);
const stage = openBeforeAll(async () => {
  const parameters = z.object({ a: z.number(), b: z.number() });
  const add = defineTool({ name: 'add', description: 'Adds.', parameters, execute: ({ a, b }) => String(a + b) });
  const opened = await openStage({ where: { local: true }, secret: () => 'key', extensions: { tools: [add] } });
  sendVendorsToFake(opened.vocabulary, fake);
  return opened;
});

const config = ({ provider, model }: Row, more = '') => `{provider: ${provider}, name: ${model}, api_key: k${more}}`;
const tooling = ', tooling: [{type: function, config: {tools: [{name: add}]}}]';
const agent = (row: Row, more = '') => `type: agent, config: ${config(row, more)}`;
const boss = (row: Row, at: number) =>
  `type: boss, config: {memory_files: {plan: ${at}/plan.txt, logs: ${at}/logs.txt}, controller: {config: ${config(row)}}, executor: {branches: {say: {description: Says it., args: {words: {required: true}}, type: passthrough, config: {}}}}}`;

interface Case {
  readonly rows: readonly Row[];
  readonly node: (row: Row, at: number) => string;
  readonly graph?: string;
}

const cases: Readonly<Record<string, Case>> = {
  plain: { rows, node: (row) => agent(row) },
  'as a boss': { rows, node: boss },
  'with tools, under a budget in tokens': {
    rows,
    node: (row) => agent(row, tooling),
    graph: 'budget: {tokens: 100000000}',
  },
  'with tools, over the Responses API': {
    rows: rows.filter(({ provider }) => provider === 'openai'),
    node: (row) => agent(row, `${tooling}, params: {protocol: responses}`),
  },
  'with tools and an effort': {
    rows: rows.filter(({ rules }) => rules.effort.some((word) => word.toLowerCase() === 'low')),
    node: (row) => agent(row, `${tooling}, params: {effort: low}`),
  },
};

/** Runs a workflow with a node for each row; no request may be refused, and half of them ask for a stream. */
async function run({ rows: asked, node, graph = '' }: Case) {
  const before = { refusals: fake.refusals.length, requests: fake.requests.length };
  const nodes = asked.map((row, at) => `    - {id: N${at}, ${node(row, at)}}`).join('\n');
  const all = asked.map((_row, at) => `N${at}`).join(', ');
  const yaml = `graph:\n  id: matrix\n  ${graph}\n  start: [${all}]\n  end: [${all}]\n  nodes:\n${nodes}\n  edges: []\n`;

  const { description } = await stage.run(yaml, 'What is the sum of 0 and 0?');

  expect(fake.refusals.slice(before.refusals)).toEqual([]);
  expect([description.status, description.error]).toEqual(['completed', undefined]);
  const streams = fake.requests.slice(before.requests).map(({ path, body }) => body['stream'] ?? /stream/.test(path));
  expect(streams.length).toBeGreaterThanOrEqual(asked.length);
  expect(new Set(streams)).toEqual(new Set([true, false]));
  return description;
}

describe('no vendor refuses an agent', () => {
  it.each(Object.entries(cases))('%s', async (_name, given) => {
    await run(given);
  });
});

it('each model costs in a run what its vendor bills, cached parts of the prompt included', async () => {
  const before = fake.bill.lines.length;
  const kept = ', cache_control: {type: ephemeral}';
  // The cache of no vendor takes a prompt of less than 4,096 tokens in all models.
  const role = `, role: ${'Add what you are told to add. '.repeat(700)}`;
  const node = (row: Row) =>
    agent(row, `${tooling}${role}, params: {max_tokens: 2000${row.provider === 'anthropic' ? kept : ''}}`);

  const description = await run({ rows: knownRows, node, graph: 'budget: {usd: 10000}' });

  const lines = fake.bill.lines.slice(before);
  const billed = knownRows.map(({ model }) => [
    model,
    lines
      .filter((line) => line.model === model)
      .reduce((sum, { picodollars = 0n }) => sum + Number((picodollars + 999_999n) / 1_000_000n), 0),
  ]);
  const spent = knownRows.map(({ model }, at) => [model, description.usageByNode[`N${at}`]?.microUsd]);
  expect(spent).toEqual(billed);
  const read = new Set(lines.filter(({ usage }) => usage.read > 0).map(({ model }) => model));
  expect(knownRows.map(({ model }) => model).filter((model) => !read.has(model))).toEqual([]);
});

it('no other server is sent what only some servers know', async () => {
  const before = fake.refusals.length;
  const base = `, base_url: '${fake.at('compatible')}'`;
  const names = ['llama3.3', 'qwen3', 'mistral-large', 'deepseek-chat', 'a-model-of-tomorrow'];
  const nodes = names.flatMap((model, at) => [
    `    - {id: A${at}, type: agent, config: {provider: openai, name: ${model}, api_key: k${base}${tooling}}}`,
  ]);
  const all = names.map((_name, at) => `A${at}`).join(', ');
  const graph = `graph:\n  id: servers\n  budget: {tokens: 1000000}\n  start: [${all}]\n  end: [${all}]\n  nodes:\n`;

  const { description } = await stage.run(`${graph}${nodes.join('\n')}\n  edges: []\n`, 'go');

  expect(fake.refusals.slice(before)).toEqual([]);
  expect([description.status, description.error]).toEqual(['completed', undefined]);
});
