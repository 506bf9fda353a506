import type { DataRoute, Vocabulary } from '../../definitions/define.ts';
import type { ConfigProblem } from '../../definitions/definition.ts';
import type { JsonSchema } from '../../definitions/host.ts';
import type { Path } from '../document/path.ts';
import type { Edge, Graph, Use } from '../document/workflow.ts';
import type { ParsedEdge } from '../elements/edge.ts';
import { isNever, isOnError } from '../elements/edge.ts';
import type { ParsedNode } from '../elements/node.ts';
import type { ReadContext } from '../elements/read-context.ts';
import { isUnresolved } from '../elements/read-context.ts';

/** A graph whose nodes emit structured data, in part with known fields. */
export interface DataGraph {
  readonly graph: Graph;
  readonly nodes: readonly ParsedNode[];
  /** The edges that the author has written. */
  readonly edges: readonly ParsedEdge[];
  readonly context: ReadContext;
}

/**
 * Compares what edges and nodes read of structured data with the schemas of the nodes that emit them, also through nodes that
 * forward messages. Data of which nothing is known, or of several sources with different schemas, are not checked.
 */
export function checkData(checked: DataGraph): void {
  const shapes = shapesOf(checked);
  for (const edge of checked.edges) checkEdge(checked, edge, shapes.get(edge.edge.from));
  for (const { node, path, definition } of checked.nodes) {
    const shape = definition?.checkData === undefined ? undefined : inputShape(checked, node.id, shapes);
    if (shape === undefined) continue;
    report(checked, definition?.checkData?.(node.config, shape), [...path, 'config']);
  }
  for (const { node } of checked.nodes) checkBranches(checked, node.id, shapes.get(node.id));
}

/** Returns the schemas of the data that nodes emit, by node. */
function shapesOf(checked: DataGraph): ReadonlyMap<string, JsonSchema> {
  const shapes = new Map<string, JsonSchema>();
  for (const { node, definition, configured } of checked.nodes) {
    const shape = configured && definition?.outputData?.(node.config);
    if (shape) shapes.set(node.id, shape);
  }
  // Each round follows the edges of one more node.
  const forwarding = checked.nodes.filter(({ definition }) => definition?.traits?.passesData);
  for (let grown = true; grown; ) {
    grown = false;
    for (const { node } of forwarding) {
      const shape = shapes.has(node.id) ? undefined : inputShape(checked, node.id, shapes);
      if (shape === undefined) continue;
      shapes.set(node.id, shape);
      grown = true;
    }
  }
  return shapes;
}

/** Returns the schema of all data that a node receives; undefined if it is not known, or if there are several. */
function inputShape(
  { graph, nodes, context }: DataGraph,
  id: string,
  shapes: ReadonlyMap<string, JsonSchema>,
): JsonSchema | undefined {
  const node = nodes.find((one) => one.node.id === id)?.node;
  if (node === undefined || node.input.length > 0 || graph.start.includes(id)) return undefined;
  const edges = graph.edges.filter((edge) => edge.to === id && edge.carryData && !isNever(edge.condition));
  const found = edges.map((edge) => shapeAfter(edge, shapes.get(edge.from), context.shared.vocabulary));
  const [first] = found;
  return found.every((shape) => shape === first) ? first : undefined;
}

/** Returns the schema of the data on an edge when they arrive. */
function shapeAfter(edge: Edge, shape: JsonSchema | undefined, vocabulary: Vocabulary): JsonSchema | undefined {
  if (shape === undefined || isOnError(edge.condition)) return undefined;
  const { processor, dynamic } = edge;
  const processed =
    processor === null ? shape : vocabulary.processors.get(processor.type)?.dataAfter?.(processor.config, shape);
  if (dynamic === null || processed === undefined) return processed;
  return vocabulary.splitters.get(dynamic.split.type)?.dataAfter?.(dynamic.split.config, processed);
}

function checkEdge(checked: DataGraph, { edge, path }: ParsedEdge, shape: JsonSchema | undefined): void {
  if (shape === undefined || isOnError(edge.condition)) return;
  const { conditions, processors, splitters } = checked.context.shared.vocabulary;
  const { condition, processor, dynamic } = edge;
  report(checked, problems(conditions, condition, shape), [...path, 'condition', 'config']);
  if (!edge.carryData) return;
  report(checked, problems(processors, processor, shape), [...path, 'processor', 'config']);
  const split = shapeAfter({ ...edge, dynamic: null }, shape, checked.context.shared.vocabulary);
  if (dynamic === null || split === undefined) return;
  report(checked, problems(splitters, dynamic.split, split), [...path, 'dynamic', 'split', 'config']);
}

interface Checking {
  checkData?(config: unknown, shape: JsonSchema): readonly ConfigProblem[];
}

const problems = (
  definitions: ReadonlyMap<string, Checking>,
  use: Use | null,
  shape: JsonSchema,
): readonly ConfigProblem[] | undefined =>
  use === null ? undefined : definitions.get(use.type)?.checkData?.(use.config, shape);

function report(checked: DataGraph, found: readonly ConfigProblem[] | undefined, above: Path): void {
  for (const { code, severity, path: below, message, hint } of found ?? []) {
    const path = [...above, ...below];
    // A variable without a value may be anything.
    if (isUnresolved(checked.context, path)) continue;
    checked.context.document.report.addForeign(code, severity, { path, message, hint });
  }
}

/** Maximum number of combinations of values that are compared with the conditions of a node. */
const mostCombinations = 1000;

/**
 * Warns of values that no edge of a node takes, if all of its edges decide by fields with a few values. A node that may give the
 * final output needs no edge.
 */
function checkBranches(checked: DataGraph, id: string, shape: JsonSchema | undefined): void {
  const out = checked.edges.filter(({ edge }) => edge.from === id && !isOnError(edge.condition));
  const [first] = out;
  if (shape === undefined || first === undefined || checked.graph.end.includes(id)) return;
  const routes = out.map(({ edge: { condition } }) =>
    condition === null
      ? undefined
      : checked.context.shared.vocabulary.conditions.get(condition.type)?.routes?.(condition.config, shape),
  );
  const known = routes.filter((route) => route !== undefined);
  if (known.length < routes.length) return;
  const missing = combinations(known.flat()).find((values) => !known.some((route) => takes(route, values)));
  if (missing === undefined) return;
  const fields = [...missing].map(([path, value]) => `"${path}" ${JSON.stringify(value)}`);
  checked.context.document.report.add('W_BRANCHES_INCOMPLETE', {
    path: first.path,
    message: `No edge of "${id}" takes data with ${fields.join(' and ')}`,
    hint: 'Add an edge for it, or one without a condition, or name the node under "end".',
  });
}

const takes = (route: readonly DataRoute[], values: ReadonlyMap<string, unknown>): boolean =>
  route.every(({ path, taken }) => taken.includes(values.get(path)));

/** Returns all combinations of the values of these fields; none if there are too many. */
function combinations(routes: readonly DataRoute[]): readonly ReadonlyMap<string, unknown>[] {
  const fields = new Map(routes.map(({ path, possible }) => [path, possible]));
  let all: readonly ReadonlyMap<string, unknown>[] = [new Map()];
  for (const [path, values] of fields) {
    if (all.length * values.length > mostCombinations) return [];
    all = all.flatMap((one) => values.map((value) => new Map([...one, [path, value]])));
  }
  return all;
}
