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
