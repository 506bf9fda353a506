import { isMapping } from '../document/mapping.ts';
import type { Edge } from '../document/workflow.ts';
import type { ParsedEdge } from '../elements/edge.ts';
import type { ParsedNode } from '../elements/node.ts';

/** Type of the edge condition that a handoff to a name passes. */
const handoff = 'handoff';

/**
 * Returns edges for handoffs that nodes can make and that no edge of the author covers: from the node directly to the
 * one that the handoff names. A name that is not a node of the graph means a person or program outside.
 */
export function handoffEdges(nodes: readonly ParsedNode[], edges: readonly ParsedEdge[]): readonly Edge[] {
  const ids = new Set(nodes.map(({ node }) => node.id));
  return nodes.flatMap(({ node, definition }) => {
    const names = definition?.handoffs?.(node.config) ?? [];
    if (names.length === 0) return [];
    const out = edges.map(({ edge }) => edge).filter(({ from }) => from === node.id);
    return [...new Set(names)]
      .filter((name) => ids.has(name) && !out.some((edge) => edge.to === name || isHandoffTo(edge, name)))
      .map((name) => edgeTo(node.id, name));
  });
}

const isHandoffTo = ({ condition }: Edge, name: string): boolean =>
  condition?.type === handoff && isMapping(condition.config) && condition.config.to === name;

const edgeTo = (from: string, to: string): Edge => ({
  from,
  to,
  trigger: true,
  condition: { type: handoff, config: { to } },
  carryData: true,
  keepMessage: false,
  clearContext: false,
  clearKeptContext: false,
  processor: null,
  dynamic: null,
});
