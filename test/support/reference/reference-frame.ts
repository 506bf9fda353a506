import type {
  ConditionFunction,
  Dynamic,
  Edge,
  EdgeHost,
  Failure,
  Graph,
  Message,
  Node,
  NodeDefinition,
  ProcessorResult,
  RouteContext,
  Use,
  Vocabulary,
} from '@millrace/core';
import type { Activation } from './trace.ts';

/** Answers for a person who is asked at this node, in this activation. */
export type Person = (node: string, activation: string) => Promise<Message> | Message;

/** State that all graphs of one reference run share. */
export interface Reference {
  readonly id: string;
  readonly vocabulary: Vocabulary;
  readonly compat: boolean;
  readonly script?: Readonly<Record<string, unknown>>;
  readonly person: Person;
  readonly now: () => number;
  /** Runs the inner graph of a node on a task; gives its result. */
  readonly call: (frame: Frame, place: Place, task: readonly Message[]) => Promise<readonly Message[]>;
  readonly activations: Activation[];
  readonly capped: string[];
  /** Numbers of entries into each graph, of hosts made, and of scripted requests of each kind. */
  readonly counts: Map<string, number>;
}

/** A message at a node, and whether it came over a dynamic edge. */
export interface Queued {
  readonly message: Message;
  readonly dynamic: boolean;
}

/** A node in one execution of its graph. */
export interface Place {
  readonly node: Node;
  readonly definition: NodeDefinition;
  queue: Queued[];
  readonly outputs: Message[];
  state: unknown;
  started: boolean;
}

/** An edge in one execution of its graph. */
export interface Link {
  readonly edge: Edge;
  readonly condition: ConditionFunction;
  readonly process: (message: Message, host: EdgeHost) => ProcessorResult | Promise<ProcessorResult>;
  fired: boolean;
}

/** One execution of a graph. */
export interface Frame {
  readonly run: Reference;
  readonly key: string;
  readonly instance: number;
  readonly graph: Graph;
  readonly places: ReadonlyMap<string, Place>;
  readonly links: readonly Link[];
}

/** Ends a reference run. */
export class RunFailed extends Error {
  readonly failure: Failure;
  readonly node: string | undefined;
  constructor(failure: Failure, node?: string) {
    super(failure.message);
    this.failure = failure;
    this.node = node;
  }
}

/** Counts up by one and gives the new count. */
export function countUp(run: Reference, key: string): number {
  const count = (run.counts.get(key) ?? 0) + 1;
  run.counts.set(key, count);
  return count;
}

/** Enters a graph: nothing has run, nothing has fired, the task waits at its start nodes. */
export function enter(run: Reference, graph: Graph, at: { key: string; task: readonly Message[] }): Frame {
  const frame: Frame = {
    run,
    key: at.key,
    instance: countUp(run, `graph ${at.key}`),
    graph,
    places: new Map(graph.nodes.map((node) => [node.id, placeOf(run, node)])),
    links: linksOf(run, graph.edges),
  };
  const started = graph.voting ? graph.nodes.map((node) => node.id) : graph.start;
  for (const id of started) {
    const place = placeAt(frame, id);
    place.started = true;
    place.queue = at.task.map((message) => ({ message, dynamic: false }));
  }
  return frame;
}

/** The place of a node that is known to exist. */
export function placeAt(frame: Frame, id: string): Place {
  const place = frame.places.get(id);
  if (place === undefined) throw new Error(`no node "${id}" in graph "${frame.key}"`);
  return place;
}

function placeOf(run: Reference, node: Node): Place {
  const definition = run.vocabulary.nodes.get(node.type);
  if (definition === undefined) throw new Error(`no node type "${node.type}" in the vocabulary`);
  return {
    node,
    definition,
    queue: node.input.map((message) => ({ message, dynamic: false })),
    outputs: [...node.output],
    state: undefined,
    started: false,
  };
}

/** One link per pair of nodes: the last edge counts, at the place of the first. */
function linksOf(run: Reference, edges: readonly Edge[]): readonly Link[] {
  const last = new Map<string, Edge>();
  for (const edge of edges) last.set(JSON.stringify([edge.from, edge.to]), edge);
  return [...last.values()].map((edge) => ({
    edge,
    condition: edge.condition === null ? () => true : compiled(run.vocabulary.conditions, edge.condition, run),
    process:
      edge.processor === null
        ? (message) => ({ type: 'message', message })
        : compiled(run.vocabulary.processors, edge.processor, run),
    fired: false,
  }));
}

interface Compilable<Compiled> {
  compile(config: unknown, context: RouteContext): Compiled;
}

/** Makes a condition, processor or splitter of the vocabulary ready for use. */
export function compiled<Compiled>(
  known: ReadonlyMap<string, Compilable<Compiled>>,
  use: Use,
  run: Reference,
): Compiled {
  const definition = known.get(use.type);
  if (definition === undefined) throw new Error(`nothing called "${use.type}" in the vocabulary`);
  return definition.compile(use.config, { compat: run.compat });
}

/** Returns the fan-out of a node's inputs, or undefined if there is none. Throws when the node's edges disagree. */
export function fanOutOf(frame: Frame, id: string): Dynamic | undefined {
  const into = frame.links.flatMap(({ edge }) => (edge.to === id && edge.dynamic !== null ? [edge.dynamic] : []));
  const [first, ...others] = into;
  if (first !== undefined && others.some((other) => subjectOf(other) !== subjectOf(first))) {
    throw new RunFailed({ code: 'FAN_OUT_CONFLICT', message: `the dynamic edges into "${id}" disagree` }, id);
  }
  return first;
}

/** Returns the settings that dynamic edges into one node must agree on, as a string. */
function subjectOf(dynamic: Dynamic): string {
  const { pattern, json_path } = (dynamic.split.config ?? {}) as { pattern?: unknown; json_path?: unknown };
  const group = dynamic.type === 'tree' ? dynamic.groupSize : 0;
  return JSON.stringify([dynamic.type, dynamic.split.type, pattern, json_path, dynamic.maxParallel, group]);
}
