import { quotedList } from '../document/suggest.ts';
import type { Graph } from '../document/workflow.ts';
import { exitsOf } from '../elements/scopes.ts';
import type { CheckedGraph } from './loops.ts';
import { canTrigger, checkLoops } from './loops.ts';

/** Checks properties that concern the graph as a whole. */
export function checkGraph(checked: CheckedGraph): void {
  const { graph, path, report } = checked;
  if (!graph.voting) {
    checkReachability(checked);
    checkLoops(checked);
  } else if (graph.edges.length > 0) {
    const message = 'A graph with "is_majority_voting" runs all of its nodes and ignores its edges';
    report.add('W_VOTING_EDGES', { path: [...path, 'edges'], message, hint: 'Remove the edges.' });
  }
}

/** Warns of nodes that never run because no edge can make them due. */
function checkReachability({ graph, nodes, report }: CheckedGraph): void {
  if (graph.start.length === 0) return;
  // Exit nodes are executed when the graph is stopped.
  const reached = new Set([...reachedFrom(graph), ...(graph.termination?.exit_to ?? [])]);
  const joined = new Set(graph.edges.flatMap(({ from, to }) => [from, to]));
  const hint = `Lead an edge to it, or name it under "start" beside ${quotedList(graph.start)}.`;
  for (const { node, path } of nodes) {
    if (reached.has(node.id)) continue;
    if (!joined.has(node.id)) {
      report.add('W_NODE_ORPHAN', { path, message: `No edge joins the node "${node.id}", so it never runs`, hint });
    } else {
      const message = `No path of triggering edges leads to the node "${node.id}", so it never runs`;
      report.add('W_NODE_UNREACHABLE', { path, message, hint });
    }
  }
}

function reachedFrom({ start, edges, scopes }: Graph): ReadonlySet<string> {
  const targets = new Map<string, string[]>();
  for (const edge of edges.filter(canTrigger)) {
    const known = targets.get(edge.from);
    if (known === undefined) targets.set(edge.from, [edge.to]);
    else known.push(edge.to);
  }
  for (const { from, to } of exitsOf(scopes ?? []))
    for (const id of from) targets.set(id, [...(targets.get(id) ?? []), to]);
  const reached = new Set(start);
  // A set may grow while it is iterated: what is added is visited as well.
  for (const id of reached) for (const target of targets.get(id) ?? []) reached.add(target);
  return reached;
}
