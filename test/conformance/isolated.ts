import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Graph, MemoryStore, Workflow } from '@millrace/core';
import type { Case } from './case.ts';

/**
 * A case's workflow with memories of its own: every run of a case begins with empty stores, and files that a case brings
 * along are looked for in its folder.
 */
export function isolated(workflow: Workflow, { folder }: Pick<Case, 'folder'>): Workflow {
  return { ...workflow, graph: graphIn({ folder, run: randomUUID() }, workflow.graph) };
}

interface Surroundings {
  readonly folder: string;
  readonly run: string;
}

function graphIn(around: Surroundings, graph: Graph): Graph {
  const nodes = graph.nodes.map((node) =>
    node.graph === undefined ? node : { ...node, graph: graphIn(around, node.graph) },
  );
  if (graph.memory.length === 0) return { ...graph, nodes };
  return {
    ...graph,
    nodes,
    id: `${graph.id}-${around.run}`,
    memory: graph.memory.map((store) => storeIn(around, store)),
  };
}

function storeIn({ folder }: Surroundings, store: MemoryStore): MemoryStore {
  // The configurations of all kinds of stores are mappings, and the field of that name is in one of them only.
  const { memory_path: _place, index_path: _index, file_sources: sources, ...config } = store.config as StoreConfig;
  const moved = sources?.map((source) => ({ ...source, path: resolve(folder, source.path) }));
  return { ...store, config: moved === undefined ? config : { ...config, file_sources: moved } };
}

interface StoreConfig {
  readonly memory_path?: unknown;
  readonly index_path?: unknown;
  readonly file_sources?: readonly { readonly path: string }[];
}
