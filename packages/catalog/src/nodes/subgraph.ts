import { defineNode } from '@millrace/core';
import { z } from 'zod';

/** Configuration of a `subgraph` node as authors write it; the reader of the document loads and validates the graph. */
export const SubgraphConfig = z.looseObject({
  type: z.unknown().optional().describe('`config` for a graph written here, `file` for a graph in a file of its own.'),
  config: z.unknown().optional().describe('The graph (`nodes` and `edges`), or the `path` of its file.'),
  termination: z
    .unknown()
    .optional()
    .describe('Conditions that stop a call of the graph, besides those of the graph itself.'),
});

/** Node type that runs another graph. The engine opens the graph, so there is nothing to execute. */
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
