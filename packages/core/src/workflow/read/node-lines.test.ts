import { expect, it } from 'vitest';
import { readText } from '../../../test-support/workflow-vocabulary.ts';

it('returns the line of each node, also of those in a subgraph of the same text', () => {
  const { lines } = readText(`graph:
  id: top
  nodes:
    - id: A
      type: passthrough
      config: {}
    - {id: B, type: passthrough, config: {}}
    - id: Sub
      type: subgraph
      config:
        type: config
        config:
          nodes:
            - {id: In, type: passthrough, config: {}}
`);

  expect(lines).toEqual({ A: 4, B: 7, Sub: 8, 'Sub/In': 14 });
});

it('returns the line of a single node without a list, and of nodes of a text with errors', () => {
  expect(readText('graph:\n  id: g\n  nodes: {id: A, type: nothing}\n').lines).toEqual({ A: 3 });
});
