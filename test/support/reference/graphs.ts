import type { Dynamic, Edge, Graph, Node, Use, Vocabulary, Workflow } from '@millrace/core';
import fc from 'fast-check';
import { groupsOf } from './reference-order.ts';

/*
 * Random workflows from nodes that need no person: literals, passthroughs, counters and subgraphs. They are small,
 * because what goes wrong in an engine goes wrong in small graphs, and because loops within loops multiply.
 */

type Shape = 'acyclic' | 'cyclic';

/** Workflows without a way back. */
export const acyclicWorkflows = (vocabulary: Vocabulary): fc.Arbitrary<Workflow> => workflows('acyclic', vocabulary);

/** Workflows whose edges may lead anywhere: cycles, cycles in cycles, nodes that lead to themselves. */
export const cyclicWorkflows = (vocabulary: Vocabulary): fc.Arbitrary<Workflow> => workflows('cyclic', vocabulary);

const workflows = (shape: Shape, vocabulary: Vocabulary): fc.Arbitrary<Workflow> =>
  graphs(shape, { vocabulary, depth: 0 }).map((graph) => ({ version: '0.0.0', graph }));

interface GraphContext {
  readonly vocabulary: Vocabulary;
  readonly depth: number;
}

function graphs(shape: Shape, making: GraphContext): fc.Arbitrary<Graph> {
  return fc.integer({ min: 2, max: making.depth === 0 ? 7 : 4 }).chain((size) =>
    fc
      .record({
        nodes: fc.tuple(...Array.from({ length: size }, (_, at) => nodes(at, shape, making))),
        // First a tree, so that most nodes are reached; then whatever comes.
        tree: fc.tuple(...Array.from({ length: size - 1 }, (_, at) => edges(earlierThan(at + 1), making))),
        others: fc.array(edges(pairs(size, shape), making), { maxLength: size + 2 }),
        starts: often(fc.constant<number[]>([0]), fc.subarray([0, 1], { minLength: 1 })),
        end: often(
          fc.constant<number[]>([]),
          fc.subarray(
            Array.from({ length: size }, (_, at) => at),
            { maxLength: 2 },
          ),
        ),
        voting: fc.boolean().map((vote) => vote && making.depth === 1 && shape === 'acyclic'),
      })
      .map(({ nodes, tree, others, starts, end, voting }) => {
        // A graph that votes has no use for its edges.
        const links = voting ? [] : onePerPair([...tree, ...others]);
        return {
          id: 'random',
          logLevel: 'ERROR' as const,
          voting,
          start: onePerCycle(starts.map(idOf), nodes, links),
          end: end.map(idOf),
          maxIterations: 3,
          nodes,
          edges: links,
          memory: [],
        };
      }),
  );
}

const idOf = (at: number): string => `n${at}`;

/** The first, most of the time. */
const often = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: usual, weight: 5 }, { arbitrary: rare, weight: 1 });

const rarely = often(fc.constant(false), fc.constant(true));

interface Behaviour {
  readonly type: string;
  readonly config: unknown;
  readonly graph?: Graph;
}

function nodes(at: number, shape: Shape, making: GraphContext): fc.Arbitrary<Node> {
  const contextWindow = often(fc.constant(0), fc.constantFrom(-1, 1, 2));
  return fc.record({ behaviour: behaviours(at, shape, making), contextWindow }).map(({ behaviour, contextWindow }) => ({
    id: idOf(at),
    logOutput: true,
    input: [],
    output: [],
    contextWindow,
    ...behaviour,
  }));
}

function behaviours(at: number, shape: Shape, making: GraphContext): fc.Arbitrary<Behaviour> {
  const { vocabulary, depth } = making;
  const read = (type: string, config: unknown): Behaviour => ({
    type,
    config: configOf(vocabulary.nodes, type, config),
  });
  const literals = fc
    .constantFrom('user', 'assistant')
    .map((role) => read('literal', { content: `word${at % 3} of ${idOf(at)}`, role }));
  // The first node starts with several messages to go round. Later in a loop they would double with each turn.
  const all = shape === 'acyclic' || at === 0 ? fc.boolean() : fc.constant(false);
  const passthroughs = all.map((every) => read('passthrough', { only_last_message: !every }));
  const counters = fc
    .record({ max_iterations: fc.integer({ min: 1, max: 3 }), reset_on_emit: fc.boolean() })
    .map((config) => read('loop_counter', config));
  const plain = [
    { arbitrary: literals, weight: 3 },
    { arbitrary: passthroughs, weight: at === 0 ? 9 : 3 },
    { arbitrary: counters, weight: at === 0 ? 1 : 2 },
  ];
  if (depth > 0) return fc.oneof(...plain);
  const inner = fc
    .constantFrom<Shape>('acyclic', 'cyclic')
    .chain((innerShape) => graphs(innerShape, { vocabulary, depth: depth + 1 }))
    .map((graph): Behaviour => ({ type: 'subgraph', config: {}, graph }));
  return fc.oneof(...plain, { arbitrary: inner, weight: 1 });
}

interface ConfiguredType {
  readonly config: { parse(value: unknown): unknown };
}

/** A configuration as its definition reads it. */
function configOf(known: ReadonlyMap<string, ConfiguredType>, type: string, config: unknown): unknown {
  const definition = known.get(type);
  if (definition === undefined) throw new Error(`nothing called "${type}" in the vocabulary`);
  return definition.config.parse(config);
}

type Pair = readonly [from: number, to: number];

const earlierThan = (node: number): fc.Arbitrary<Pair> =>
  fc.integer({ min: 0, max: node - 1 }).map((from) => [from, node] as const);

function pairs(size: number, shape: Shape): fc.Arbitrary<Pair> {
  const node = fc.integer({ min: 0, max: size - 1 });
  const any = fc.tuple(node, node);
  if (shape === 'cyclic') return any;
  return any.filter(([a, b]) => a !== b).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
}

function edges(pair: fc.Arbitrary<Pair>, { vocabulary }: GraphContext): fc.Arbitrary<Edge> {
  return fc
    .record({
      pair,
      noTrigger: rarely,
      noData: rarely,
      keepMessage: rarely,
      clearContext: rarely,
      clearKeptContext: rarely,
      condition: often(fc.constant(null), conditions(vocabulary)),
      dynamic: often(fc.constant(null), dynamics(vocabulary)),
    })
    .map(({ pair: [from, to], noTrigger, noData, ...rest }) => ({
      from: idOf(from),
      to: idOf(to),
      trigger: !noTrigger,
      carryData: !noData,
      processor: null,
      ...rest,
    }));
}

const conditions = (vocabulary: Vocabulary): fc.Arbitrary<Use> =>
  fc
    .record({ list: fc.constantFrom('any', 'none'), word: fc.integer({ min: 0, max: 2 }) })
    .map(({ list, word }) => use(vocabulary.conditions, 'keyword', { [list]: [`word${word}`] }));

const dynamics = (vocabulary: Vocabulary): fc.Arbitrary<Dynamic> =>
  fc
    .record({
      type: fc.constantFrom('map', 'tree'),
      maxParallel: often(fc.constant(2), fc.integer({ min: 1, max: 3 })),
    })
    .map(({ type, maxParallel }) => ({
      type,
      split: use(vocabulary.splitters, 'message', {}),
      maxParallel,
      groupSize: 2,
    }));

const use = (known: ReadonlyMap<string, ConfiguredType>, type: string, config: unknown): Use => ({
  type,
  config: configOf(known, type, config),
});

/** The last edge between two nodes counts, at the place of the first. */
function onePerPair(all: readonly Edge[]): Edge[] {
  const last = new Map<string, Edge>();
  for (const edge of all) last.set(`${edge.from} ${edge.to}`, edge);
  return [...last.values()];
}

/** A cycle with two start nodes is refused when a workflow is read. */
function onePerCycle(starts: readonly string[], nodes: readonly Node[], links: readonly Edge[]): string[] {
  const next = (from: string) => links.filter((edge) => edge.from === from).map((edge) => edge.to);
  const groups = groupsOf(
    nodes.map((node) => node.id),
    next,
  );
  const groupOf = (node: string) => groups.find((group) => group.members.includes(node));
  return starts.filter((start, at) => !starts.slice(0, at).some((earlier) => groupOf(earlier) === groupOf(start)));
}
