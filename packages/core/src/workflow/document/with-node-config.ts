import type { Document } from 'yaml';
import { isMap, isSeq, parseDocument } from 'yaml';

/** A node of a workflow: the key of its graph, empty for the root graph, and its id. */
export interface NodePlace {
  readonly graph: string;
  readonly node: string;
}

/**
 * Returns the text of a workflow with other values in the configuration of one of its nodes; comments and order stay.
 * Undefined when the text itself does not contain the node: it is part of another file, or was expanded from one.
 */
export function withNodeConfig(
  text: string,
  { graph, node }: NodePlace,
  values: Readonly<Record<string, string>>,
): string | undefined {
  const document = parseDocument(text, { version: '1.1', keepSourceTokens: true, logLevel: 'error' });
  const outer = graph === '' ? [] : graph.split('/');
  let path: readonly (string | number)[] | undefined = ['graph'];
  for (const id of outer) {
    const found: readonly (string | number)[] | undefined = path && nodeIn(document, path, id);
    path = found && [...found, 'config', 'config'];
  }
  const found = path && nodeIn(document, path, node);
  if (found === undefined) return undefined;
  for (const [name, value] of Object.entries(values)) document.setIn([...found, 'config', name], value);
  return document.toString({ lineWidth: 0 });
}

/** Returns the path of a node in the graph at a path; undefined when there is none. */
function nodeIn(
  document: Document,
  graph: readonly (string | number)[],
  id: string,
): readonly (string | number)[] | undefined {
  const nodes = document.getIn([...graph, 'nodes']);
  if (!isSeq(nodes)) return undefined;
  const at = nodes.items.findIndex((item) => isMap(item) && String(item.get('id')) === id);
  return at < 0 ? undefined : [...graph, 'nodes', at];
}
