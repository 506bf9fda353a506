import type { SourceDocument } from '../document/document.ts';
import { isMapping, toList } from '../document/mapping.ts';
import type { LocatedValue } from '../elements/read-context.ts';

/**
 * Returns the line of each node of a graph as written, from 1: by `<node>`, or `<graph>/<node>` in a subgraph of the same
 * file.
 */
export const nodeLines = (document: SourceDocument, graph: LocatedValue): Readonly<Record<string, number>> =>
  Object.fromEntries(linesIn(document, graph, ''));

function linesIn(document: SourceDocument, { value, path }: LocatedValue, prefix: string): [string, number][] {
  if (!isMapping(value)) return [];
  const { nodes } = value;
  return toList(nodes).flatMap((node, index): [string, number][] => {
    if (!isMapping(node) || typeof node.id !== 'string') return [];
    const at = [...path, 'nodes', ...(Array.isArray(nodes) ? [index] : [])];
    const { line } = document.at(at, 'value');
    return [[`${prefix}${node.id}`, line], ...innerLines(document, { value: node, path: at }, `${prefix}${node.id}/`)];
  });
}

/** The graph of a subgraph that is written in the same file. */
function innerLines(document: SourceDocument, { value: node, path }: LocatedValue, prefix: string): [string, number][] {
  if (!isMapping(node) || !isMapping(node.config) || node.config.type !== 'config') return [];
  return linesIn(document, { value: node.config.config, path: [...path, 'config', 'config'] }, prefix);
}
