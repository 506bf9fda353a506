import type { ToolRule } from '../../definitions/tool-policy.ts';
import type { ReadLimits } from '../../definitions/workflow-limits.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { readBoss } from '../boss/read-boss.ts';
import { checkData } from '../checks/check-data.ts';
import { checkGraph } from '../checks/check-graph.ts';
import { checkPolicy } from '../checks/check-policy.ts';
import { isMapping, toList } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import { ReadingEnded } from '../document/report.ts';
import type { Edge, Graph, LogLevel, MemoryStore, Node } from '../document/workflow.ts';
import { plainEdge } from '../document/workflow.ts';
import type { ParsedEdge } from '../elements/edge.ts';
import { lastOfEachPair, readEdge } from '../elements/edge.ts';
import { checkMemoryFiles, checkMemoryReferences, readMemoryStores } from '../elements/memory.ts';
import type { ParsedNode } from '../elements/node.ts';
import { readNode } from '../elements/node.ts';
import type { LocatedValue, ReadContext } from '../elements/read-context.ts';
import { readFields } from '../elements/read-context.ts';
import { exitsOf, readScopes } from '../elements/scopes.ts';
import { readTermination } from '../elements/termination.ts';
import { readConfigured } from '../elements/use.ts';
import { GraphSchema } from '../schema/document-schemas.ts';
import { resolveBranches } from './branch.ts';
import type { GraphEnds } from './ends.ts';
import { readEnd, readStart } from './ends.ts';
import { readSpending, warnOfSpending } from './spending.ts';
import { openSubgraph, rejectVars } from './subgraph.ts';

/** Settings that a graph inherits from the enclosing graph. */
export interface Outer {
  readonly logLevel: LogLevel;
}

type GraphFields = Partial<ReturnType<typeof GraphSchema.parse>>;

/**
 * Reads a graph with everything in it. Problems are added to the issues; if there are errors, the result is not usable.
 */
export function readGraph(context: ReadContext, { value, path }: LocatedValue, outer?: Outer): Graph {
  const written = readFields(context, GraphSchema, { value: outer ? withoutEmptyLevel(value) : value, path });
  rejectVars(context, { value: written.vars, path: [...path, 'vars'] });
  const logLevel = written.log_level ?? outer?.logLevel ?? 'DEBUG';
  const nodes = readNodes(context, { value: written.nodes, path: [...path, 'nodes'] }, { logLevel });
  const memory = readMemoryStores(context, { value: written.memory, path: [...path, 'memory'] });
  checkMemories(context, { value: written.nodes, path: [...path, 'nodes'] }, memory);
  checkMemoryFiles(context, nodes, memory);
  const { edges, unread } = readEdges(context, { value: written.edges, path: [...path, 'edges'] }, nodes);
  const terminations = readTerminations(context, { written, path }, nodes);
  const { report } = context.document;
  const joined = [...edges.map(({ edge }) => edge), ...handoffEdges(nodes, edges)];
  const ended: GraphEnds = {
    nodes: nodes.map(({ node }) => node),
    edges: joined,
    exits: exitsOf(terminations.scopes ?? []).map(({ to }) => to),
    last: terminations.termination?.exit_to ?? [],
    voting: written.is_majority_voting ?? false,
    path,
    report,
    partial: nodes.length === 0 || nodes.length < toList(written.nodes).length || unread,
  };
  const graph: Graph = {
    id: graphId(context, { value: isMapping(value) ? value.id : undefined, path }, outer !== undefined),
    logLevel,
    voting: ended.voting,
    start: readStart(ended, written.start),
    end: readEnd(ended, written.end),
    nodes: nodes.map(({ node }) => node),
    edges: joined,
    memory,
    ...terminations,
    ...optionalFields(written),
    ...readSpending(written),
    ...readToolPolicy(context, { value: written.tool_policy, path: [...path, 'tool_policy'] }),
  };
  if (outer !== undefined) warnOfSpending(graph, path, report);
  const { compat } = context.shared;
  if (!ended.partial) {
    checkGraph({ graph, path, report, compat, nodes });
    checkData({ graph, nodes, edges, context });
    checkPolicy(context, graph, path);
  }
  return graph;
}

/** Reads the termination and the named scopes of a graph. */
function readTerminations(
  context: ReadContext,
  { written, path }: { readonly written: GraphFields; readonly path: Path },
  read: readonly ParsedNode[],
): Pick<Graph, 'termination' | 'scopes'> {
  const nodes = read.map(({ node }) => node);
  const termination = readTermination(
    context,
    { value: written.termination, path: [...path, 'termination'] },
    { nodes, voting: written.is_majority_voting ?? false },
  );
  const scopes = readScopes(context, { value: written.scopes, path: [...path, 'scopes'] }, nodes);
  if (termination !== undefined || scopes.length > 0) warnOfReservedIds(context, read);
  return { ...omitUndefined({ termination }), ...(scopes.length === 0 ? {} : { scopes }) };
}

/** Reads the policy for calls of tools. */
function readToolPolicy(context: ReadContext, located: LocatedValue): Pick<Graph, 'toolPolicy'> {
  const { toolPolicy: definition } = context.shared.vocabulary;
  if (definition === undefined || located.value === undefined || located.value === null) return {};
  const read = readConfigured(context, definition, located);
  return read === undefined ? {} : { toolPolicy: read.config as readonly ToolRule[] }; // of the definition's schema
}

/** Warns of nodes with the ids that mean the task in terminations. */
function warnOfReservedIds(context: ReadContext, nodes: readonly ParsedNode[]): void {
  for (const { node, path } of nodes) {
    if (node.id !== 'user' && node.id !== 'TASK') continue;
    const message = `"${node.id}" means the task in terminations, so they cannot refer to this node`;
    const hint = 'Give the node another id.';
    context.document.report.add('W_TERM_RESERVED', { path: [...path, 'id'], message, hint });
  }
}

/** Removes an empty log level: in an inner graph it means the outer graph's level; at the top it is an error. */
function withoutEmptyLevel(value: unknown): unknown {
  if (!isMapping(value) || value.log_level !== null) return value;
  const { log_level: _empty, ...rest } = value;
  return rest;
}

function optionalFields(
  written: GraphFields,
): Pick<Graph, 'title' | 'description' | 'maxIterations' | 'organization' | 'initialInstruction' | 'queue'> {
  const { description, max_iterations: maxIterations, organization, initial_instruction: instruction, queue } = written;
  return {
    ...(written.title ? { title: written.title } : {}),
    ...(description ? { description } : {}),
    ...omitUndefined({ maxIterations }),
    ...(organization ? { organization } : {}),
    ...(instruction ? { initialInstruction: instruction } : {}),
    ...omitUndefined({ queue }),
  };
}

function graphId(context: ReadContext, { value, path }: LocatedValue, isInner: boolean): string {
  const { report, file } = context.document;
  if (typeof value === 'string' && value !== '') {
    if (!/^[\w-]+$/.test(value)) {
      const message = `The id "${value}" should consist of letters, digits, _ and - only`;
      report.add('W_GRAPH_ID_CHARACTERS', { path: [...path, 'id'], message });
    }
    return value;
  }
  const name = (file.split(/[\\/]/).at(-1) ?? '').replace(/\.ya?ml$/i, '').replace(/[^\w-]+/g, '_') || 'workflow';
  const isMissing = value === undefined || value === null || value === '';
  if (isMissing && !isInner)
    report.add('W_GRAPH_ID_MISSING', { path, message: `The graph has no "id"; it is called "${name}"` });
  return name;
}

function readNodes(context: ReadContext, { value, path }: LocatedValue, outer: Outer): readonly ParsedNode[] {
  const { report } = context.document;
  const entries = toList(value);
  takeFromLimit(context, 'nodes', { value, path });
  if (entries.length === 0)
    report.add('E_NODES_MISSING', { path, message: 'The graph has no nodes', hint: 'List its nodes under "nodes".' });
  const ids = new Map<string, Path>();
  return entries.flatMap((entry, index): ParsedNode[] => {
    const at = Array.isArray(value) ? [...path, index] : path;
    const read = readWhole(context, { value: entry, path: at }, outer);
    if (read === undefined) return [];
    const { id } = read.node;
    const before = ids.get(id);
    if (before !== undefined) {
      const { line } = context.document.at(before, 'value');
      const message = `The node id "${id}" is already used on line ${line}`;
      report.add('E_NODE_ID_DUPLICATE', { path: [...at, 'id'], message, hint: 'Give one of the two another id.' });
      return [];
    }
    ids.set(id, at);
    return [read];
  });
}

/** Reads a node, with its inner graph if it is a container. */
function readWhole(context: ReadContext, located: LocatedValue, outer: Outer): ParsedNode | undefined {
  const read = readNode(context, located);
  const config = {
    value: isMapping(located.value) ? located.value.config : undefined,
    path: [...located.path, 'config'],
  };
  const inner = readInner(context, config, { read, outer });
  return read === undefined ? read : { ...read, node: { ...read.node, ...inner } satisfies Node };
}

/** Reads the graph of a container node, and the termination of its calls. */
function readInner(
  context: ReadContext,
  config: LocatedValue,
  { read, outer }: { readonly read: ParsedNode | undefined; readonly outer: Outer },
): Pick<Node, 'graph' | 'termination'> {
  const graph = readContained(context, config, { read, outer });
  if (graph === undefined) return {};
  // A boss has its termination inside its graph.
  if (read?.definition?.traits?.container === 'boss') return { graph };
  const written = isMapping(config.value) ? config.value.termination : undefined;
  const termination = readTermination(context, { value: written, path: [...config.path, 'termination'] }, graph);
  return termination === undefined ? { graph } : { graph, termination };
}

function readContained(
  context: ReadContext,
  config: LocatedValue,
  { read, outer }: { readonly read: ParsedNode | undefined; readonly outer: Outer },
): Graph | undefined {
  const container = read?.definition?.traits?.container;
  if (read === undefined || container === undefined) return undefined;
  if (container === 'boss') {
    const readPart = (part: LocatedValue) => readWhole(context, part, outer);
    return readBoss(context, config, { id: read.node.id, logLevel: outer.logLevel, readNode: readPart });
  }
  const inner = openSubgraph(context, config);
  return inner === undefined ? undefined : readGraph(inner.reading, inner.graph, outer);
}

const limitCodes = { nodes: 'E_NODES_LIMIT', edges: 'E_EDGES_LIMIT' } as const;

/**
 * Subtracts the entries of a list from the limit of the workflow. Beyond the limit it reports that, and ends the reading: what
 * refers to entries that are not read would look wrong.
 */
function takeFromLimit({ shared, document }: ReadContext, what: keyof ReadLimits, { value, path }: LocatedValue): void {
  shared.budget[what] -= toList(value).length;
  if (shared.budget[what] >= 0) return;
  const message = `The workflow has more than ${shared.limits[what]} ${what}, those of its subgraphs included`;
  const hint = 'Make several workflows of it, or have a dynamic edge run one node many times.';
  document.report.add(limitCodes[what], { path, message, hint });
  throw new ReadingEnded();
}

function checkMemories(context: ReadContext, { value, path }: LocatedValue, stores: readonly MemoryStore[]): void {
  toList(value).forEach((entry, index) => {
    const config = { value: isMapping(entry) ? entry.config : undefined, path: [...path, index, 'config'] };
    checkMemoryReferences(context, config, stores);
  });
}

interface EdgesResult {
  /** One edge for each pair of nodes. */
  readonly edges: readonly ParsedEdge[];
  /** Some edges could not be read. */
  readonly unread: boolean;
}

function readEdges(context: ReadContext, { value, path }: LocatedValue, nodes: readonly ParsedNode[]): EdgesResult {
  const ids = new Set(nodes.map(({ node }) => node.id));
  const entries = toList(value);
  takeFromLimit(context, 'edges', { value, path });
  const edges = entries.flatMap((entry, index) => {
    const at = Array.isArray(value) ? [...path, index] : path;
    return readEdge(context, { value: entry, path: at }, ids) ?? [];
  });
  const effective = lastOfEachPair(context, edges);
  return {
    edges: resolveBranches(effective, { nodes, report: context.document.report }),
    unread: edges.length < entries.length,
  };
}

/** Type of the edge condition that a handoff to a name passes. */
const handoff = 'handoff';

/**
 * Returns edges for handoffs that nodes can make and that no edge of the author covers: from the node directly to the
 * one that the handoff names. A name that is not a node of the graph means a person or program outside.
 */
function handoffEdges(nodes: readonly ParsedNode[], edges: readonly ParsedEdge[]): readonly Edge[] {
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
  ...plainEdge,
  condition: { type: handoff, config: { to } },
});
