import type { CheckedGraph } from './checked-graph.ts';
import { checkLoops } from './loops.ts';
import { checkReachability } from './reachability.ts';

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
