import type { NodeDefinition, Vocabulary } from '../definitions/define.ts';
import type { QueueName } from '../model/ids.ts';
import { storeIdentity } from '../model/memory.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { Dynamic, Edge, Graph, Node, Termination, Workflow } from '../workflow/document/workflow.ts';
import { plainEdge } from '../workflow/document/workflow.ts';
import { isOnError } from '../workflow/elements/edge.ts';
import { planItems } from './items.ts';
import type { FanOut, GraphPlan, Plan, PlanEdge, PlanNode, PlanScope, PlanStore } from './plan.ts';
import { compileTermination } from './termination.ts';

const defaultIterationLimit = 100;

/** Compiles a validated workflow. Pure: the same workflow and vocabulary give the same plan. */
export function compile(workflow: Workflow, vocabulary: Vocabulary): Plan {
  const compat = workflow.compat === 'chatdev';
  const graphs = new Map<string, GraphPlan>();
  compileGraph({ graph: workflow.graph, key: '' }, { compat, vocabulary, graphs });
  const { script } = workflow;
  const { budget, prices, rateLimits, recordRequests } = workflow.graph;
  const routed = [...graphs.values()].some(({ nodes }) => nodes.some(({ queue }) => queue !== undefined));
  return {
    compat,
    graphs,
    ...omitUndefined({ script, budget, prices, rateLimits, recordRequests }),
    ...(routed ? { routed } : {}),
  };
}

interface CompileContext {
  readonly compat: boolean;
  readonly vocabulary: Vocabulary;
  readonly graphs: Map<string, GraphPlan>;
}

interface GraphTarget {
  readonly graph: Graph;
  readonly key: string;
  /** Termination that the node which runs the graph sets for its calls. */
  readonly termination?: Termination | undefined;
  /** Queue of the node that runs the graph. */
  readonly queue?: QueueName | undefined;
  /** Policies of the graphs around it. */
  readonly policies?: GraphPlan['toolPolicies'];
}

function compileGraph(
  { graph, key, termination, queue: outer, policies = [] }: GraphTarget,
  compiling: CompileContext,
): void {
  const toolPolicies = graph.toolPolicy === undefined ? policies : [...policies, graph.toolPolicy];
  const { vocabulary } = compiling;
  const index = new Map(graph.nodes.map((node, at) => [node.id, at]));
  const scopes = planScopes(graph, { vocabulary, indexOf: (id) => indexOf(index, id) });
  const written = graph.edges.map((edge, at) => planEdge(edge, at, { index, ...compiling }));
  const edges = [...written, ...exitEdges(scopes, written.length)];
  const links = linksOf(graph, edges);
  const mirroredFiles = mirroredFilesOf(graph, compiling.vocabulary);
  const nodes = graph.nodes.map((node, at) => {
    const queue = node.queue ?? graph.queue ?? outer;
    return planNode({ node, at, key, voting: graph.voting, edges, mirroredFiles, queue, ...links[at] }, compiling);
  });
  const start = graph.start.map((id) => indexOf(index, id));
  const { items, itemOf } = planItems(nodes.length, edges, start);
  const preferred = graph.end.map((id) => indexOf(index, id));
  const cap = graph.maxIterations;
  const compiledTermination = compileTermination([graph.termination, termination], {
    vocabulary,
    indexOf: (id) => indexOf(index, id),
  });
  const isSink = ({ index, in: before, out }: PlanNode) =>
    out.every((at) => edges[at]?.exit) && (before.length > 0 || compiledTermination?.exitTo.includes(index) !== true);
  const sinks = nodes.filter(isSink).map((node) => node.index);
  compiling.graphs.set(
    key,
    omitUndefined({
      key,
      id: graph.id,
      logLevel: graph.logLevel,
      voting: graph.voting,
      nodes,
      edges,
      items,
      itemOf,
      start,
      finals: [...new Set([...preferred, ...sinks])],
      maxIterations: compiling.compat
        ? defaultIterationLimit
        : cap === 'unlimited'
          ? null
          : (cap ?? defaultIterationLimit),
      capsGuarded: compiling.compat || typeof cap === 'number',
      memory: storesOf(graph, vocabulary),
      scopes,
      toolPolicies: toolPolicies.length === 0 ? undefined : toolPolicies,
      termination: compiledTermination,
    }),
  );
  graph.nodes.forEach((node) => {
    if (node.graph === undefined) return;
    const { termination, queue = graph.queue ?? outer } = node;
    compileGraph(
      { graph: node.graph, key: innerKey(key, node.id), termination, queue, policies: toolPolicies },
      compiling,
    );
  });
}

function storesOf(graph: Graph, { memories }: Vocabulary): GraphPlan['memory'] {
  const stores = graph.memory.map(({ name, type, config }): [string, PlanStore] => {
    const definition = memories.get(type);
    const sharedStore = definition?.sharedStore?.(config);
    const identity = storeIdentity(omitUndefined({ graph: graph.id, name, sharedStore }));
    const lifetime = definition?.file?.(config).lifetime ?? 'permanent';
    return [name, { type, config, identity, ...(lifetime === 'permanent' ? {} : { lifetime }) }];
  });
  return new Map(stores);
}

const innerKey = (key: string, id: string) => (key === '' ? id : `${key}/${id}`);

function indexOf(index: ReadonlyMap<string, number>, id: string): number {
  const at = index.get(id);
  if (at === undefined) throw new Error(`node "${id}" is named but not defined; the workflow was not validated`);
  return at;
}

interface EdgeContext extends Pick<CompileContext, 'compat' | 'vocabulary'> {
  readonly index: ReadonlyMap<string, number>;
}

function planEdge(edge: Edge, index: number, graph: EdgeContext): PlanEdge {
  return {
    index,
    from: indexOf(graph.index, edge.from),
    to: indexOf(graph.index, edge.to),
    trigger: edge.trigger,
    condition: edge.condition,
    ...conditionTextOf(edge, graph),
    onError: isOnError(edge.condition),
    carryData: edge.carryData,
    keepMessage: edge.keepMessage,
    clearContext: edge.clearContext,
    // Without clear_context it has no effect, except in the original engine.
    clearKeptContext: edge.clearKeptContext && (edge.clearContext || graph.compat),
    processor: edge.processor,
    dynamic: edge.dynamic !== null,
  };
}

function conditionTextOf({ condition }: Edge, { vocabulary }: EdgeContext): Pick<PlanEdge, 'conditionText'> {
  if (condition === null) return {};
  const text = vocabulary.conditions.get(condition.type)?.describe?.(condition.config);
  return { conditionText: text ?? condition.type };
}

interface NodeLinks {
  readonly out?: number[];
  readonly in?: number[];
  readonly dynamics?: Dynamic[];
}

/** Returns the edges of each node, by node index, in declaration order. */
function linksOf(graph: Graph, edges: readonly PlanEdge[]): Required<NodeLinks>[] {
  const links = graph.nodes.map((): Required<NodeLinks> => ({ out: [], in: [], dynamics: [] }));
  for (const edge of edges) {
    links[edge.from]?.out.push(edge.index);
    links[edge.to]?.in.push(edge.index);
    const dynamic = graph.edges[edge.index]?.dynamic;
    if (dynamic) links[edge.to]?.dynamics.push(dynamic);
  }
  return links;
}

interface NodeParts extends NodeLinks {
  readonly node: Node;
  readonly at: number;
  readonly key: string;
  readonly voting: boolean;
  readonly edges: readonly PlanEdge[];
  /** Memory files that are mirrored to real files. */
  readonly mirroredFiles: ReadonlySet<string>;
  readonly queue: QueueName | undefined;
}

const traitsFrom = (
  definition: NodeDefinition | undefined,
  config: unknown,
): Pick<PlanNode, 'awaits' | 'limit' | 'dataText'> => {
  const awaits = definition?.awaits?.(config);
  const limit = definition?.limit?.(config);
  const dataText = definition?.describeData?.(config);
  return omitUndefined({ awaits, limit, dataText });
};

function planNode(
  { node, at, key, voting, edges, mirroredFiles, queue, ...links }: NodeParts,
  { vocabulary }: CompileContext,
): PlanNode {
  // Voting ignores edges, dynamic ones included.
  const fanOut = voting ? undefined : fanOutOf(links.dynamics ?? []);
  const definition = vocabulary.nodes.get(node.type);
  const traits = definition?.traits ?? {};
  return {
    index: at,
    id: node.id,
    type: node.type,
    config: node.config,
    contextWindow: node.contextWindow,
    logOutput: node.logOutput,
    out: links.out ?? [],
    in: links.in ?? [],
    guard: traits.guard === true,
    waits: traits.waits === true,
    ...traitsFrom(definition, node.config),
    usesWorkspace:
      usesWorkspace(
        node,
        (links.out ?? []).flatMap((edge) => edges[edge] ?? []),
        vocabulary,
      ) || usesFiles(mirroredFiles, node, vocabulary),
    speaks: traits.speaks === true,
    ...(traits.forwards ? { forwards: true } : {}),
    onError: node.onError ?? 'fail',
    input: node.input,
    output: node.output,
    ...omitUndefined({ timeoutSeconds: node.timeoutSeconds, queue }),
    ...(node.graph === undefined ? {} : { graph: innerKey(key, node.id) }),
    ...omitUndefined({ fanOut, state: traits.state }),
    ...(node.lasting ? { lasting: true } : {}),
  };
}

/**
 * Returns whether a node or a processor of its edges uses the workspace. Voting ignores edges, but their processors count to
 * be safe.
 */
function usesWorkspace({ type, config }: Node, out: readonly PlanEdge[], { nodes, processors }: Vocabulary): boolean {
  if (nodes.get(type)?.usesWorkspace?.(config)) return true;
  return out.some(
    ({ processor }) => processor !== null && processors.get(processor.type)?.usesWorkspace?.(processor.config),
  );
}

const usesFiles = (files: ReadonlySet<string>, { type, config }: Node, { nodes }: Vocabulary): boolean =>
  files.size > 0 && (nodes.get(type)?.memoryFiles?.(config) ?? []).some(({ name }) => files.has(name));

const mirroredFilesOf = ({ memory }: Graph, { memories }: Vocabulary): ReadonlySet<string> =>
  new Set(memory.filter(({ type, config }) => memories.get(type)?.file?.(config).mirror).map(({ name }) => name));

function fanOutOf([first, ...others]: readonly Dynamic[]): FanOut | undefined {
  if (first === undefined) return undefined;
  const conflict = others.map((other) => differenceOf(first, other)).find((word) => word !== undefined);
  return conflict === undefined ? first : { ...first, conflict: `its dynamic edges differ in ${conflict}` };
}

function differenceOf(a: Dynamic, b: Dynamic): string | undefined {
  if (a.type !== b.type) return 'type';
  if (a.split.type !== b.split.type) return 'split type';
  if (JSON.stringify(essentialOptions(a.split.config)) !== JSON.stringify(essentialOptions(b.split.config)))
    return 'split';
  if (a.maxParallel !== b.maxParallel) return 'max_parallel';
  if (a.type === 'tree' && a.groupSize !== b.groupSize) return 'group_size';
  return undefined;
}

/** Returns the options of a splitter that must agree on all edges; for the others, the first edge's count. */
function essentialOptions(config: unknown): unknown {
  if (typeof config !== 'object' || config === null) return null;
  const { pattern, json_path } = config as { pattern?: unknown; json_path?: unknown };
  return [pattern ?? null, json_path ?? null];
}

/** Returns the named scopes of a graph, inner ones before outer ones. */
function planScopes(
  graph: Graph,
  { vocabulary, indexOf }: { readonly vocabulary: Vocabulary; readonly indexOf: (id: string) => number },
): readonly PlanScope[] {
  const scopes = [...(graph.scopes ?? [])].sort((a, b) => a.nodes.length - b.nodes.length);
  return scopes.map(({ id, nodes, termination, maxIterations }) => {
    const compiled = compileTermination([termination], { vocabulary, indexOf });
    return {
      id,
      members: new Set(nodes.map(indexOf)),
      ...omitUndefined({ termination: compiled }),
      ...(maxIterations === undefined ? {} : { maxIterations: maxIterations === 'unlimited' ? null : maxIterations }),
    };
  });
}

/**
 * Returns edges from every node of a scope to the nodes that come after it has stopped. The edges hold those nodes back
 * until the scope is settled, and trigger them.
 */
function exitEdges(scopes: readonly PlanScope[], first: number): readonly PlanEdge[] {
  const pairs = scopes.flatMap(({ members, termination }) =>
    (termination?.exitTo ?? []).flatMap((to) => [...members].map((from) => ({ from, to }))),
  );
  const unique = new Map(pairs.map((pair) => [`${pair.from} ${pair.to}`, pair]));
  return [...unique.values()].map(
    ({ from, to }, at): PlanEdge => ({
      index: first + at,
      from,
      to,
      ...plainEdge,
      dynamic: false,
      onError: false,
      exit: true,
    }),
  );
}
