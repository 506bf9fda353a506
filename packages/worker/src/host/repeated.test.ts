import { createVocabulary } from '@millrace/catalog';
import { compile, readWorkflow } from '@millrace/core';
import { expect, it } from 'vitest';
import { isRepeated } from './repeated.ts';

const text = `
graph:
  id: g
  start: [Once]
  end: [Unit]
  nodes:
    - {id: Once, type: passthrough, config: {}}
    - {id: Unit, type: passthrough, config: {}}
    - {id: A, type: passthrough, config: {}}
    - {id: B, type: passthrough, config: {}}
    - id: Inner
      type: subgraph
      config:
        type: config
        config: {id: inner, start: [I], nodes: [{id: I, type: passthrough, config: {}}], edges: []}
  edges:
    - {from: Once, to: Unit, dynamic: {type: map, config: {split_type: lines}}}
    - {from: Once, to: A}
    - {from: A, to: B}
    - {from: B, to: A}
    - {from: Once, to: Inner, dynamic: {type: map, config: {split_type: lines}}}
`;

it('takes units, nodes in cycles and what they contain for repeated', () => {
  const vocabulary = createVocabulary();
  const { workflow, issues } = readWorkflow({ file: 'g.yaml', text }, { vocabulary, mode: 'run' });
  if (workflow === undefined) throw new Error(JSON.stringify(issues));
  const plan = compile(workflow, vocabulary);

  const repeated = [...plan.graphs.values()].flatMap((graph) =>
    graph.nodes.filter((node) => isRepeated(plan, graph, node)).map(({ id }) => id),
  );
  expect(repeated).toEqual(['Unit', 'A', 'B', 'Inner', 'I']);
});
