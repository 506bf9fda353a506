import { isMapping } from '../document/mapping.ts';
import type { ProblemReporter } from '../document/report.ts';
import { didYouMean } from '../document/suggest.ts';
import type { Edge } from '../document/workflow.ts';
import type { ParsedEdge } from '../elements/edge.ts';
import type { ParsedNode } from '../elements/node.ts';

/** Type of the condition that tests the branch that its node has chosen. */
const branchCondition = 'branch';

interface BranchEdge {
  readonly read: ParsedEdge;
  readonly names: readonly string[];
  readonly otherwise: boolean;
}

/**
 * Gives each `otherwise` the names on the other edges of its node. Checks that a node has at most one `otherwise`, and
 * that it has the branches that its edges name, if its branches are known.
 */
export function resolveBranches(
  edges: readonly ParsedEdge[],
  { nodes, report }: { readonly nodes: readonly ParsedNode[]; readonly report: ProblemReporter },
): readonly ParsedEdge[] {
  const branchEdges = edges.flatMap((read): BranchEdge[] => {
    const { condition } = read.edge;
    if (condition?.type !== branchCondition || !isMapping(condition.config)) return [];
    const { is, in: names, otherwise } = condition.config;
    return [
      { read, names: [is, names].flat().filter((name) => typeof name === 'string'), otherwise: otherwise === true },
    ];
  });
  if (branchEdges.length === 0) return edges;
  checkNames(branchEdges, nodes, report);
  checkOtherwise(branchEdges, report);
  const except = new Map(
    branchEdges.filter(({ otherwise }) => otherwise).map(({ read }) => [read, siblingNames(read, branchEdges)]),
  );
  return edges.map((read) => {
    const names = except.get(read);
    return names === undefined ? read : { ...read, edge: withExcept(read.edge, names) };
  });
}

const siblingNames = ({ edge }: ParsedEdge, branchEdges: readonly BranchEdge[]): readonly string[] => [
  ...new Set(branchEdges.filter(({ read }) => read.edge.from === edge.from).flatMap(({ names }) => names)),
];

const withExcept = (edge: Edge, except: readonly string[]): Edge =>
  edge.condition === null || !isMapping(edge.condition.config)
    ? edge
    : { ...edge, condition: { ...edge.condition, config: { ...edge.condition.config, except } } };

function checkNames(branchEdges: readonly BranchEdge[], nodes: readonly ParsedNode[], report: ProblemReporter): void {
  for (const { read, names } of branchEdges) {
    const source = nodes.find(({ node }) => node.id === read.edge.from);
    const known = source?.definition?.branches?.(source.node.config);
    for (const name of known === undefined ? [] : names) {
      if (known?.includes(name)) continue;
      report.add('E_BRANCH_NAME', {
        path: [...read.path, 'condition'],
        message: `"${read.edge.from}" has no branch "${name}"`,
        hint: didYouMean(name, known ?? []) ?? `Its branches are: ${known?.join(', ')}.`,
      });
    }
  }
}

function checkOtherwise(branchEdges: readonly BranchEdge[], report: ProblemReporter): void {
  const seen = new Set<string>();
  for (const { read, otherwise } of branchEdges) {
    if (otherwise && seen.has(read.edge.from)) {
      const message = `"${read.edge.from}" has a second edge for all other branches`;
      const hint = 'Keep one edge with `otherwise` for each node.';
      report.add('E_BRANCH_OTHERWISE', { path: [...read.path, 'condition'], message, hint });
    }
    if (otherwise) seen.add(read.edge.from);
  }
}
