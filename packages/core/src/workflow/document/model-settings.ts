import type { NodePlace } from './with-node-config.ts';
import type { Graph, Node, Workflow } from './workflow.ts';

/** System prompt and model of a node that asks a model. */
export interface ModelSettings {
  /** Empty: none. */
  readonly prompt: string;
  readonly model: string;
}

/** Returns the system prompt and the model in the configuration of a node; undefined for a node that asks no model. */
export function modelSettingsOf(config: unknown): ModelSettings | undefined {
  if (typeof config !== 'object' || config === null || !('provider' in config)) return undefined;
  const { role, name } = config as { readonly role?: unknown; readonly name?: unknown };
  return { prompt: typeof role === 'string' ? role : '', model: typeof name === 'string' ? name : '' };
}

/** Returns the fields of a node's configuration that hold settings. */
export const configOf = ({ prompt, model }: Partial<ModelSettings>): Readonly<Record<string, string>> => ({
  ...(prompt === undefined ? {} : { role: prompt }),
  ...(model === undefined ? {} : { name: model }),
});

/** Returns a workflow with other settings of one node, whichever file the node was read from. */
export const withModelSettings = (
  workflow: Workflow,
  place: NodePlace,
  settings: Partial<ModelSettings>,
): Workflow => ({ ...workflow, graph: changedGraph(workflow.graph, { key: '', place, settings }) });

interface Change {
  /** Key of the graph. */
  readonly key: string;
  readonly place: NodePlace;
  readonly settings: Partial<ModelSettings>;
}

function changedGraph(graph: Graph, change: Change): Graph {
  const changed = (node: Node): Node => {
    if (change.key === change.place.graph && node.id === change.place.node)
      return { ...node, config: { ...(node.config as object), ...configOf(change.settings) } }; // asks a model, so it has fields
    const key = change.key === '' ? node.id : `${change.key}/${node.id}`;
    return node.graph === undefined ? node : { ...node, graph: changedGraph(node.graph, { ...change, key }) };
  };
  return { ...graph, nodes: graph.nodes.map(changed) };
}
