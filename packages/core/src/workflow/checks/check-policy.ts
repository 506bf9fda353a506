import type { Vocabulary } from '../../definitions/define.ts';
import type { KnownTools } from '../../definitions/tool-policy.ts';
import type { Path } from '../document/path.ts';
import type { Graph } from '../document/workflow.ts';
import type { ReadContext } from '../elements/read-context.ts';

/** Compares the rules of a graph about calls of tools with the tools that its nodes have, and those of the graphs inside it. */
export function checkPolicy({ document, shared }: ReadContext, graph: Graph, path: Path): void {
  const { toolPolicy: definition, nodes } = shared.vocabulary;
  // What could not be read may have any tools.
  if (graph.toolPolicy === undefined || definition?.checkTools === undefined || document.report.failed()) return;
  const tools = toolsOf(graph, nodes);
  if (tools === undefined) return;
  for (const { code, severity, path: within, message, hint } of definition.checkTools(graph.toolPolicy, tools))
    document.report.addForeign(code, severity, { path: [...path, 'tool_policy', ...within], message, hint });
}

const noTools: KnownTools = new Map();

/** Returns the tools of all nodes; undefined where only servers know them. */
function toolsOf({ nodes }: Graph, definitions: Vocabulary['nodes']): KnownTools | undefined {
  const known = new Map<string, readonly string[] | undefined>();
  const found = nodes.flatMap(({ type, config, graph }) => {
    const { tools = () => noTools } = definitions.get(type) ?? {};
    return [tools(config), graph === undefined ? noTools : toolsOf(graph, definitions)];
  });
  for (const tools of found) {
    if (tools === undefined) return undefined;
    for (const [name, names] of tools) known.set(name, known.has(name) ? joined(known.get(name), names) : names);
  }
  return known;
}

type Arguments = readonly string[] | undefined;

/** Returns the arguments that two tools with one name have together. */
const joined = (one: Arguments, other: Arguments): Arguments =>
  one === undefined || other === undefined ? undefined : [...new Set([...one, ...other])];
