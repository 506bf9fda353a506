import type {
  EdgeHost,
  GraphPlan,
  Message,
  NewRoute,
  PlanEdge,
  ProcessorResult,
  Use,
  Vocabulary,
} from '@millrace/core';
import { NodeError, selfEdge, textOf } from '@millrace/core';
import type { WorkerContext } from '../context/worker-context.ts';
import { runProgram } from '../host/program.ts';
import type { Execution } from './execution.ts';

type Condition = (text: string, message: Message) => boolean | Promise<boolean>;
type Processor = (message: Message, host: EdgeHost) => ProcessorResult | Promise<ProcessorResult>;

/** What an edge does to messages, prepared once per plan. */
interface Prepared {
  readonly condition: Condition | undefined;
  readonly processor: Processor | undefined;
}

const prepared = new WeakMap<GraphPlan, Map<number, Prepared>>();

/** What a node has made. */
export interface NodeOutputs {
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
  worker: WorkerContext,
  execution: Execution,
  { outputs, context, failed = false }: NodeOutputs,
): Promise<{ readonly routes: readonly NewRoute[]; readonly warnings: readonly string[] }> {
  const { graph, node } = execution.context;
  const edges = (node?.out ?? [])
    .flatMap((index) => graph.edges[index] ?? [])
    // Exits are for scopes that stop.
    .filter(({ onError, exit }) => onError === failed && !exit);
  const routes: NewRoute[] = [];
  const warnings: string[] = [];
  const warn = (edge: PlanEdge, what: string, error: unknown) => {
    warnings.push(
      `${what} of the edge to "${graph.nodes[edge.to]?.id}" failed: ${error instanceof Error ? error.message : String(error)}`,
    );
  };
  for (const [at, output] of outputs.entries()) {
    for (const edge of edges) {
      const { condition, processor } = prepare(worker.vocabulary, execution, edge);
      const asks = condition !== undefined && !failed;
      if (asks && !(await holds(condition, output, (error) => warn(edge, 'the condition', error)))) continue;
      routes.push(
        processor === undefined
          ? forward(execution, { edge, at, output })
          : await deliver(worker, execution, {
              edge,
              at,
              output,
              processor,
              warn: (error) => warn(edge, 'the processor', error),
            }),
      );
    }
  }
  return { routes: [...routes, ...own(execution, { outputs, context })], warnings };
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
function forward({ collector, context: { graph } }: Execution, { edge, at, output }: Forwarding): NewRoute {
  const route = { edge: edge.index, output: at };
  if (!edge.carryData) return route;
  const sent = travelling(output, edge, graph.nodes[edge.from]?.id ?? '');
  return { ...route, message: collector.addAs(sent, output) };
}

interface Delivering extends Forwarding {
  readonly processor: Processor;
  readonly warn: (error: unknown) => void;
}

/** An output as the edge's processor makes it. */
async function deliver(
  worker: WorkerContext,
  execution: Execution,
  { edge, at, output, processor, warn }: Delivering,
): Promise<NewRoute> {
  const {
    collector,
    context: { graph },
  } = execution;
  const route = { edge: edge.index, output: at };
  if (!edge.carryData) return route;
  const sent = travelling(output, edge, graph.nodes[edge.from]?.id ?? '');
  const processed = await process(processor, sent, { host: createEdgeHost(worker, execution), warn });
  switch (processed.type) {
    case 'drop':
      return { ...route, dropped: true };
    case 'failed':
      throw new NodeError(processed.error.code, processed.error.message);
    case 'message': {
      const same = processed.message === sent;
      return { ...route, message: same ? collector.addAs(sent, output) : collector.add(processed.message) };
    }
  }
}

async function process(
  processor: Processor,
  message: Message,
  { host, warn }: { readonly host: EdgeHost; readonly warn: Delivering['warn'] },
): Promise<ProcessorResult> {
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
function own({ context: { node }, collector }: Execution, { outputs, context }: NodeOutputs): NewRoute[] {
  if (node === undefined || node.contextWindow === 0) return [];
  if (context !== undefined && outputs.length > 0) {
    return context.map((message) => ({ edge: selfEdge, output: 0, message: collector.add(message) }));
  }
  return outputs.map((output, at) => {
    const message: Message = { ...output, role: output.preserveRole ? output.role : 'assistant', source: node.id };
    return { edge: selfEdge, output: at, message: collector.addAs(message, output) };
  });
}

function prepare(vocabulary: Vocabulary, { context: { plan, graph } }: Execution, edge: PlanEdge): Prepared {
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
export function createEdgeHost(worker: WorkerContext, { context, signal, steps, files }: Execution): EdgeHost {
  const { wake, plan, node } = context;
  if (node === undefined) throw new NodeError('PLAN_INVALID', 'Votes have no edges.');
  return {
    run: wake.run,
    node: node.id,
    signal,
    compat: plan.compat,
    workspace: files.workspace,
    runProgram: (program) => runProgram(worker, { assignment: context, node, steps, files, signal }, program),
  };
}
