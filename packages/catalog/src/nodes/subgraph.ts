import { defineNode } from '@millrace/core';
import { z } from 'zod';

/** Configuration of a `subgraph` node as authors write it; reading the document loads and validates the graph itself. */
export const SubgraphConfig = z.looseObject({
  type: z.unknown().optional().describe('`config` for a graph written here, `file` for one in a file of its own.'),
  config: z.unknown().optional().describe('The graph (`nodes` and `edges`), or `path` of the file that holds it.'),
  termination: z.unknown().optional().describe('When a call of the graph stops, beside what the graph says itself.'),
});

/** Runs another graph in place of a node. The engine opens the graph, so there is nothing to execute. */
export const subgraph = defineNode({
  type: 'subgraph',
  summary: 'Runs another graph on its input and emits what that graph produced.',
  config: SubgraphConfig,
  traits: { container: 'subgraph', speaks: true },
  execute(_config, _input, host) {
    throw new Error(
      `Subgraph node "${host.node}" was executed like a plain node; the engine should have opened its graph.`,
    );
  },
});
