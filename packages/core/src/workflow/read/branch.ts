import { isMapping } from '../document/mapping.ts';
import type { ProblemReporter } from '../document/report.ts';
import { didYouMean } from '../document/suggest.ts';
import type { Edge } from '../document/workflow.ts';
import type { ParsedEdge } from '../elements/edge.ts';
import type { ParsedNode } from '../elements/node.ts';

/** The condition that goes by what its node has chosen. */
const BRANCH = 'branch';

interface Chosen {
  readonly read: ParsedEdge;
  readonly names: readonly string[];
  readonly otherwise: boolean;
}

/**
 * Lets each `otherwise` know what the other edges of its node name, and checks that there is one at most and that a
 * node whose branches are known has those that its edges name.
 */
export function resolveBranches(
  edges: readonly ParsedEdge[],
  { nodes, report }: { readonly nodes: readonly ParsedNode[]; readonly report: ProblemReporter },
): readonly ParsedEdge[] {
  const chosen = edges.flatMap((read): Chosen[] => {
    const { condition } = read.edge;
    if (condition?.type !== BRANCH || !isMapping(condition.config)) return [];
    const { is, in: names, otherwise } = condition.config;
    return [
      { read, names: [is, names].flat().filter((name) => typeof name === 'string'), otherwise: otherwise === true },
    ];
  });
  if (chosen.length === 0) return edges;
  checkNames(chosen, nodes, report);
  checkOtherwise(chosen, report);
  const except = new Map(
    chosen.filter(({ otherwise }) => otherwise).map(({ read }) => [read, namesBeside(read, chosen)]),
  );
  return edges.map((read) => {
    const names = except.get(read);
    return names === undefined ? read : { ...read, edge: withExcept(read.edge, names) };
  });
}

const namesBeside = ({ edge }: ParsedEdge, chosen: readonly Chosen[]): readonly string[] => [
  ...new Set(chosen.filter(({ read }) => read.edge.from === edge.from).flatMap(({ names }) => names)),
];

const withExcept = (edge: Edge, except: readonly string[]): Edge =>
  edge.condition === null || !isMapping(edge.condition.config)
    ? edge
    : { ...edge, condition: { ...edge.condition, config: { ...edge.condition.config, except } } };

function checkNames(chosen: readonly Chosen[], nodes: readonly ParsedNode[], report: ProblemReporter): void {
  for (const { read, names } of chosen) {
    const source = nodes.find(({ node }) => node.id === read.edge.from);
    const known = source?.definition?.branches?.(source.node.config);
    for (const name of known === undefined ? [] : names) {
      if (known?.includes(name)) continue;
      report.add('E_BRANCH_NAME', {
        path: [...read.path, 'condition'],
        message: `"${read.edge.from}" has no command "${name}"`,
        hint: didYouMean(name, known ?? []) ?? `Its branches are: ${known?.join(', ')}.`,
      });
    }
  }
}

function checkOtherwise(chosen: readonly Chosen[], report: ProblemReporter): void {
  const seen = new Set<string>();
  for (const { read, otherwise } of chosen) {
    if (otherwise && seen.has(read.edge.from)) {
      const message = `"${read.edge.from}" has a second edge for all other branches`;
      const hint = 'Keep one edge with `otherwise` for each node.';
      report.add('E_BRANCH_OTHERWISE', { path: [...read.path, 'condition'], message, hint });
    }
    if (otherwise) seen.add(read.edge.from);
  }
}
