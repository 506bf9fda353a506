import { createVocabulary } from '@millrace/catalog';
import type { Workflow } from '@millrace/core';
import { expect, it } from 'vitest';
import { createMemoryStore } from '../adapters/memory/store/memory-store.ts';
import { createPlans } from './plans.ts';

const workflow: Workflow = {
  version: '0.4.0',
  graph: {
    start: ['A'],
    id: 'g',
    logLevel: 'INFO',
    voting: false,
    end: [],
    nodes: [
      {
        type: 'literal',
        id: 'A',
        contextWindow: 0,
        logOutput: true,
        config: { role: 'user', content: 'a' },
        input: [],
        output: [],
      },
    ],
    edges: [],
    memory: [],
  },
};

it('returns to the process that stored a plan exactly the plan of all others', async () => {
  const store = createMemoryStore();
  const [ours, theirs] = [createPlans(store, createVocabulary()), createPlans(store, createVocabulary())];

  const hash = await ours.save(workflow);

  const written = async (plans: typeof ours) => JSON.stringify((await plans.load(hash)).plan.graphs.get(''));
  expect(await written(ours)).toBe(await written(theirs));
});

it('gives a workflow the same hash whatever the order of its fields, and another one with another content', async () => {
  const plans = createPlans(createMemoryStore(), createVocabulary());
  const { version, graph } = workflow;
  const [node] = graph.nodes;
  if (node === undefined) throw new Error('the workflow has no node');
  const withConfig = (json: string): Workflow => ({
    version,
    graph: { ...graph, nodes: [{ ...node, config: JSON.parse(json) }] },
  });
  const configs = ['{"role":"user","content":"a"}', '{"role":"user","content":"a","__proto__":{"b":1}}'];

  const hash = await plans.hashOf(workflow);
  const others = await Promise.all(configs.map((json) => plans.hashOf(withConfig(json))));

  expect(await plans.hashOf({ graph: Object.fromEntries(Object.entries(graph).reverse()), version } as Workflow)).toBe(
    hash,
  );
  expect(others[0]).toBe(hash);
  expect(others[1]).not.toBe(hash);
});
