import type { Path } from '../document/path.ts';
import type { ProblemReporter } from '../document/report.ts';
import { didYouMean, quotedList } from '../document/suggest.ts';
import type { Edge, Node } from '../document/workflow.ts';

/** A graph whose start and end nodes are not known yet. */
export interface GraphEnds {
  readonly nodes: readonly Pick<Node, 'id'>[];
  readonly edges: readonly Pick<Edge, 'from' | 'to'>[];
  /** Ids of the nodes that come after a scope that stops. */
  readonly exits: readonly string[];
  /** Ids of the exit nodes of the graph. */
  readonly last: readonly string[];
  readonly voting: boolean;
  readonly path: Path;
  readonly report: ProblemReporter;
  /** Some nodes or edges could not be read, so ambiguous ends are not reported. */
  readonly partial: boolean;
}

type NodeNames = string | readonly string[] | null | undefined;

/** Returns the start nodes as written, or the only source of the graph. */
export function readStart(graph: GraphEnds, written: NodeNames): readonly string[] {
  const names = knownNames(graph, 'start', written);
  if (names.length > 0 || graph.voting || graph.partial) return [...new Set(names)];
  if (namesOf(written).length > 0) return [];
  const targets = new Set(graph.edges.filter(({ from, to }) => from !== to).map(({ to }) => to));
  for (const exit of [...graph.exits, ...graph.last]) targets.add(exit);
  const sources = graph.nodes.map(({ id }) => id).filter((id) => !targets.has(id));
  if (sources.length === 1) return sources;
  graph.report.add('E_START_AMBIGUOUS', {
    path: [...graph.path, 'start'],
    message:
      sources.length === 0
        ? 'Every node comes after another one, so the graph does not show where it starts'
        : `Several nodes have no predecessor: ${quotedList(sources)}`,
    hint: sources.length === 0 ? 'Name the first node under "start".' : 'Name those that get the task under "start".',
  });
  return [];
}

/** Returns the end nodes as written, or the only sink of the graph. */
export function readEnd(graph: GraphEnds, written: NodeNames): readonly string[] {
  const names = knownNames(graph, 'end', written);
  if ((written !== undefined && written !== null) || graph.voting || graph.partial) return names;
  const origins = new Set(graph.edges.map(({ from }) => from));
  const targets = new Set([...graph.edges.map(({ to }) => to), ...graph.exits]);
  // A node that is only an exit node has no output in a graph that ends by itself.
  const isOnlyExit = (id: string) => graph.last.includes(id) && !targets.has(id);
  const sinks = graph.nodes.map(({ id }) => id).filter((id) => !origins.has(id) && !isOnlyExit(id));
  if (sinks.length === 1) return sinks;
  graph.report.add('E_END_AMBIGUOUS', {
    path: [...graph.path, 'end'],
    message:
      sinks.length === 0
        ? 'Every node leads to another one, so the graph does not show where its result comes from'
        : `Several nodes lead nowhere: ${quotedList(sinks)}`,
    hint: 'Name the nodes that give the result under "end", best first.',
  });
  return [];
}

function knownNames({ nodes, path, report }: GraphEnds, field: 'start' | 'end', written: NodeNames): readonly string[] {
  const known = new Set(nodes.map(({ id }) => id));
  return namesOf(written).filter((name, index) => {
    if (known.has(name)) return true;
    if (known.size === 0) return false;
    report.add(field === 'start' ? 'E_START_UNKNOWN' : 'E_END_UNKNOWN', {
      path: typeof written === 'string' ? [...path, field] : [...path, field, index],
      message: `Unknown node "${name}"`,
      hint: didYouMean(name, known),
    });
    return false;
  });
}

function namesOf(written: NodeNames): readonly string[] {
  if (written === undefined || written === null) return [];
  return typeof written === 'string' ? [written] : written;
}
