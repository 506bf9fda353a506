import type { BroughtRoute, EdgeHost, GraphPlan, Message, PlanEdge, Processed, Use, Vocabulary } from '@millrace/core';
import { NodeError, ownEdge, textOf } from '@millrace/core';
import type { Crew } from '../context/worker-context.ts';
import { runProgram } from '../host/program.ts';
import type { Performing } from './execution.ts';

type Condition = (text: string, message: Message) => boolean | Promise<boolean>;
type Processor = (message: Message, host: EdgeHost) => Processed | Promise<Processed>;

/** What an edge does to messages, prepared once per plan. */
interface Prepared {
  readonly condition: Condition | undefined;
  readonly processor: Processor | undefined;
}

const prepared = new WeakMap<GraphPlan, Map<number, Prepared>>();

/** What a node has made. */
export interface Produced {
  readonly outputs: readonly Message[];
  /** What its context window keeps instead of the outputs. */
  readonly context?: readonly Message[] | undefined;
  /** It stands for the failure of the node: it goes over the edges that are there for that, and over no others. */
  readonly failed?: boolean;
}

/**
 * Puts each output on each outgoing edge whose condition holds, in the order (output, edge). This runs the author's
 * conditions and processors, once, before the commit; their results are what is committed. One that throws lets the
 * message through unchanged and leaves a warning.
 */
export async function route(
  crew: Crew,
  work: Performing,
  { outputs, context, failed = false }: Produced,
): Promise<{ readonly routes: readonly BroughtRoute[]; readonly warnings: readonly string[] }> {
  const { graph, node } = work.assignment;
  const edges = (node?.out ?? [])
    .flatMap((index) => graph.edges[index] ?? [])
    // Exits are for scopes that stop.
    .filter(({ onError, exit }) => onError === failed && !exit);
  const routes: BroughtRoute[] = [];
  const warnings: string[] = [];
  const warn = (edge: PlanEdge, what: string, error: unknown) => {
    warnings.push(
      `${what} of the edge to "${graph.nodes[edge.to]?.id}" failed: ${error instanceof Error ? error.message : String(error)}`,
    );
  };
  for (const [at, output] of outputs.entries()) {
    for (const edge of edges) {
      const { condition, processor } = prepare(crew.vocabulary, work, edge);
      const asks = condition !== undefined && !failed;
      if (asks && !(await holds(condition, output, (error) => warn(edge, 'the condition', error)))) continue;
      routes.push(
        processor === undefined
          ? forward(work, { edge, at, output })
          : await deliver(crew, work, {
              edge,
              at,
              output,
              processor,
              warn: (error) => warn(edge, 'the processor', error),
            }),
      );
    }
  }
  return { routes: [...routes, ...own(work, { outputs, context })], warnings };
}

async function holds(condition: Condition, output: Message, warn: (error: unknown) => void): Promise<boolean> {
  try {
    return await condition(textOf(output), output);
  } catch (error) {
    warn(error);
    return true;
  }
}

interface Forwarding {
  readonly edge: PlanEdge;
  readonly at: number;
  readonly output: Message;
}

/** An output as it is. */
function forward({ bringing, assignment: { graph } }: Performing, { edge, at, output }: Forwarding): BroughtRoute {
  const route = { edge: edge.index, output: at };
  if (!edge.carryData) return route;
  const sent = travelling(output, edge, graph.nodes[edge.from]?.id ?? '');
  return { ...route, message: bringing.bringAs(sent, output) };
}

interface Delivering extends Forwarding {
  readonly processor: Processor;
  readonly warn: (error: unknown) => void;
}

/** An output as the edge's processor makes it. */
async function deliver(
  crew: Crew,
  work: Performing,
  { edge, at, output, processor, warn }: Delivering,
): Promise<BroughtRoute> {
  const {
    bringing,
    assignment: { graph },
  } = work;
  const route = { edge: edge.index, output: at };
  if (!edge.carryData) return route;
  const sent = travelling(output, edge, graph.nodes[edge.from]?.id ?? '');
  const processed = await process(processor, sent, { host: edgeHost(crew, work), warn });
  switch (processed.type) {
    case 'drop':
      return { ...route, dropped: true };
    case 'failed':
      throw new NodeError(processed.error.code, processed.error.message);
    case 'message': {
      const same = processed.message === sent;
      return { ...route, message: same ? bringing.bringAs(sent, output) : bringing.bring(processed.message) };
    }
  }
}

async function process(
  processor: Processor,
  message: Message,
  { host, warn }: { readonly host: EdgeHost; readonly warn: Delivering['warn'] },
): Promise<Processed> {
  try {
    return await processor(message, host);
  } catch (error) {
    warn(error);
    return { type: 'message', message };
  }
}

/** A message as it travels: from another node it is the user's word, from the node itself its own. */
function travelling(output: Message, edge: PlanEdge, source: string): Message {
  const role = output.preserveRole ? output.role : edge.from === edge.to ? 'assistant' : 'user';
  return { ...output, role, source, keep: output.keep || edge.keepMessage };
}

/** What a node with a context window keeps of its own words. */
function own({ assignment: { node }, bringing }: Performing, { outputs, context }: Produced): BroughtRoute[] {
  if (node === undefined || node.contextWindow === 0) return [];
  if (context !== undefined && outputs.length > 0) {
    return context.map((message) => ({ edge: ownEdge, output: 0, message: bringing.bring(message) }));
  }
  return outputs.map((output, at) => {
    const message: Message = { ...output, role: output.preserveRole ? output.role : 'assistant', source: node.id };
    return { edge: ownEdge, output: at, message: bringing.bringAs(message, output) };
  });
}

function prepare(vocabulary: Vocabulary, { assignment: { plan, graph } }: Performing, edge: PlanEdge): Prepared {
  const ofGraph = prepared.get(graph) ?? new Map<number, Prepared>();
  prepared.set(graph, ofGraph);
  const known = ofGraph.get(edge.index);
  if (known !== undefined) return known;
  const context = { compat: plan.compat };
  const made: Prepared = {
    condition:
      edge.condition === null
        ? undefined
        : definitionOf(vocabulary.conditions, edge.condition, 'condition').compile(edge.condition.config, context),
    processor:
      edge.processor === null
        ? undefined
        : definitionOf(vocabulary.processors, edge.processor, 'processor').compile(edge.processor.config, context),
  };
  ofGraph.set(edge.index, made);
  return made;
}

function definitionOf<Definition>(definitions: ReadonlyMap<string, Definition>, use: Use, what: string): Definition {
  const definition = definitions.get(use.type);
  if (definition === undefined)
    throw new NodeError('PLAN_INVALID', `This worker does not know the ${what} type "${use.type}".`);
  return definition;
}

/** What the processors of a node's edges are given to work with. */
export function edgeHost(crew: Crew, { assignment, signal, steps, files }: Performing): EdgeHost {
  const { wake, plan, node } = assignment;
  if (node === undefined) throw new NodeError('PLAN_INVALID', 'Votes have no edges.');
  return {
    run: wake.run,
    node: node.id,
    signal,
    compat: plan.compat,
    workspace: files.workspace,
    runProgram: (program) => runProgram(crew, { assignment, node, steps, files, signal }, program),
  };
}
