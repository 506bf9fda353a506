import type {
  ConditionFunction,
  EdgeHost,
  GraphPlan,
  Message,
  PlanEdge,
  PlanNode,
  ProcessorResult,
  Use,
  Warning,
} from '@millrace/core';
import { addWarning, NodeError, selfEdge, textOf } from '@millrace/core';
import type { ActivationAttempt } from '../context/activation-attempt.ts';
import type { Completion, ExecutionResult } from '../execute/execution-result.ts';
import { runProgram } from '../host/program.ts';
import type { Delivery } from './body-collector.ts';

/** One output on one edge. */
export interface RoutedOutput {
  readonly edge: number;
  readonly output: number;
  readonly dropped?: true;
  /** Undefined on an edge that carries no data. */
  readonly delivery?: Delivery;
}

/** Outputs on their edges, and warnings about conditions and processors that failed. */
export interface RoutingResult {
  readonly routes: readonly RoutedOutput[];
  readonly warnings: readonly Warning[];
}

const nothing: RoutingResult = { routes: [], warnings: [] };

/** Codes of errors in what the author wrote, as opposed to limits and faults, which would be a silently different result. */
const authorErrors: ReadonlySet<string> = new Set(['FUNCTION_FAILED', 'REGEX_GROUP_UNKNOWN', 'TEMPLATE_FAILED']);

/**
 * Puts each output on each outgoing edge whose condition holds, in the order (output, edge). This runs the author's
 * conditions and processors, once, before the commit; their results are what is committed. An error of the author lets the
 * message through unchanged and leaves a warning, as in the original engine; any other error fails the activation.
 */
export async function route(attempt: ActivationAttempt, executed: ExecutionResult): Promise<RoutingResult> {
  const { graph, node } = attempt.context;
  if (executed.type !== 'completed' || executed.silent || executed.outputs.length === 0) return nothing;
  if (node === undefined) return nothing;
  const { outputs, failed } = executed;
  const edges = edgesOf(attempt, node, failed);
  await storeStepsBefore(attempt, edges);
  const routes: RoutedOutput[] = [];
  const warnings: Warning[] = [];
  for (const [at, output] of outputs.entries()) {
    for (const functions of edges) {
      const { edge, condition, processor } = functions;
      if (processor === undefined && (condition === undefined || failed)) {
        routes.push(forward(edge, at, deliver(output, edge, node)));
        continue;
      }
      const note = (warning: Warning) => addWarning(warnings, warning);
      const warn = (what: string, error: unknown) => {
        attempt.signal.throwIfAborted();
        const fault = causesOf(error).find((cause) => isFault(attempt, cause));
        if (fault !== undefined) throw fault;
        if (!(error instanceof NodeError) || !authorErrors.has(error.code)) throw error;
        const message = `${what} of the edge to "${graph.nodes[edge.to]?.id}" failed: ${error.message}`;
        note({ code: error.code, message });
      };
      const routed = await applyFunctions(attempt, functions, { at, output, node, failed, note, warn });
      if (routed !== undefined) routes.push(routed);
    }
  }
  for (const kept of keptByNode(node, executed)) routes.push(kept);
  return { routes, warnings };
}

/** What the author's code changes outside must not happen before the run has the results that it follows from. */
async function storeStepsBefore(attempt: ActivationAttempt, edges: readonly EdgeFunctions[]): Promise<void> {
  if (edges.some(({ callsAuthor }) => callsAuthor)) await attempt.storeSteps();
}

/** Maximum number of causes of an error that are looked at. */
const mostCauses = 8;

/** Returns an error, and the errors that caused it: a function of the author may pass on what its host threw. */
function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause instanceof Error && causes.length < mostCauses; cause = cause.cause) causes.push(cause);
  return causes;
}

/** Errors that hosts of processors have thrown: they are not the author's, whose function may only pass them on. */
const hostErrors = new WeakSet<object>();

/** Returns whether an error refuses what a function asks for, such as a path out of the workspace: those have no code and no class. */
const isRefusal = (error: Error): boolean => error.constructor === Error && !('code' in error);

const isFault = (attempt: ActivationAttempt, error: unknown): boolean =>
  attempt.isInterruptedBy(error) || (error instanceof Error && hostErrors.has(error));

interface RoutedInput {
  readonly at: number;
  readonly output: Message;
  readonly node: PlanNode;
  readonly failed: boolean;
  /** Notes a warning of a condition. */
  readonly note: (warning: Warning) => void;
  /** Notes an error of the author; throws any other. */
  readonly warn: (what: string, error: unknown) => void;
}

/** Routes an output over an edge with functions; undefined when the edge's condition does not hold. */
async function applyFunctions(
  attempt: ActivationAttempt,
  { edge, condition, processor, usesWorkspace }: EdgeFunctions,
  { at, output, node, failed, note, warn }: RoutedInput,
): Promise<RoutedOutput | undefined> {
  if (condition !== undefined && !failed && !(await holds(condition, output, { note, warn }))) return undefined;
  const delivery = deliver(output, edge, node);
  if (processor === undefined || !edge.carryData) return forward(edge, at, delivery);
  return processed(attempt, { edge, at, delivery, processor, usesWorkspace, warn });
}

/** An output on an edge as it is; an edge that carries no data only triggers. */
const forward = ({ index, carryData }: PlanEdge, output: number, delivery: Delivery): RoutedOutput =>
  carryData ? { edge: index, output, delivery } : { edge: index, output };

async function holds(
  condition: ConditionFunction,
  output: Message,
  { note, warn }: Pick<RoutedInput, 'note' | 'warn'>,
): Promise<boolean> {
  try {
    return await condition(textOf(output), output, note);
  } catch (error) {
    warn('the condition', error);
    return true;
  }
}

/** Delivers an output: a message from another node is the user's, and one from the node itself its own. */
function deliver(message: Message, edge: PlanEdge, { id }: PlanNode): Delivery {
  const role = message.preserveRole ? message.role : edge.from === edge.to ? 'assistant' : 'user';
  return { message, role, source: id, keep: message.keep || edge.keepMessage };
}

interface ProcessorCall {
  readonly edge: PlanEdge;
  readonly at: number;
  readonly delivery: Delivery;
  readonly processor: Processor;
  readonly usesWorkspace: boolean;
  readonly warn: RoutedInput['warn'];
}

/** Puts an output on an edge as the edge's processor makes it. */
async function processed(attempt: ActivationAttempt, processing: ProcessorCall): Promise<RoutedOutput> {
  const { edge, at, delivery } = processing;
  const { message, role, source, keep } = delivery;
  const sent = { ...message, role, source, keep };
  const result = await process(attempt, sent, processing);
  switch (result.type) {
    case 'drop':
      return { edge: edge.index, output: at, dropped: true };
    case 'failed':
      throw new NodeError(result.error.code, result.error.message);
    case 'message':
      return {
        edge: edge.index,
        output: at,
        delivery: result.message === sent ? delivery : asItIs(result.message),
      };
  }
}

/** Delivers a message with its own role and source. */
const asItIs = (message: Message): Delivery => {
  const { role, source, keep } = message;
  return { message, role, source, keep };
};

async function process(
  attempt: ActivationAttempt,
  message: Message,
  { processor, usesWorkspace, warn }: ProcessorCall,
): Promise<ProcessorResult> {
  // Not within the call: files that cannot be brought are no error of the author.
  if (usesWorkspace) await attempt.openFiles();
  try {
    return await processor(message, createEdgeHost(attempt));
  } catch (error) {
    warn('the processor', error);
    return { type: 'message', message };
  }
}

/** Returns what a node with a context window keeps of its own messages. */
function keptByNode({ id, contextWindow }: PlanNode, { outputs, context }: Completion): readonly RoutedOutput[] {
  if (contextWindow === 0) return nothing.routes;
  if (context !== undefined)
    return context.map((message) => ({ edge: selfEdge, output: 0, delivery: asItIs(message) }));
  return outputs.map((message, output) => {
    const role = message.preserveRole ? message.role : 'assistant';
    return { edge: selfEdge, output, delivery: { message, role, source: id, keep: message.keep } };
  });
}

/** Creates the host of the processors of a node's edges. */
function createEdgeHost(attempt: ActivationAttempt): EdgeHost {
  const { context, worker } = attempt;
  const { wake, plan, node } = context;
  if (node === undefined) throw new NodeError('PLAN_INVALID', 'Votes have no edges.');
  return {
    run: wake.run,
    node: node.id,
    get signal() {
      return attempt.signal;
    },
    compat: plan.compat,
    get workspace() {
      if (attempt.files === undefined) throw new NodeError('INTERNAL', 'A processor uses files without saying so.');
      return attempt.files.workspace;
    },
    async runProgram(program) {
      const { steps, signal } = attempt;
      const openFiles = () => attempt.openFiles();
      try {
        return await runProgram(worker, { context, node, steps, openFiles, signal }, program);
      } catch (error) {
        if (error instanceof Error && !isRefusal(error)) hostErrors.add(error);
        throw error;
      }
    },
  };
}

/** Changes, drops or refuses a message on an edge. */
type Processor = (message: Message, host: EdgeHost) => ProcessorResult | Promise<ProcessorResult>;

/** An edge with its condition and processor, compiled. */
interface EdgeFunctions {
  readonly edge: PlanEdge;
  readonly condition: ConditionFunction | undefined;
  readonly processor: Processor | undefined;
  /** The condition or the processor is a function of the installation. */
  readonly callsAuthor: boolean;
  /** The processor uses files. */
  readonly usesWorkspace: boolean;
}

/** The outgoing edges of nodes, by index of the node: for outputs, and for failures. */
interface CompiledEdges {
  readonly outputs: Map<number, readonly EdgeFunctions[]>;
  readonly failures: Map<number, readonly EdgeFunctions[]>;
}

const compiled = new WeakMap<GraphPlan, CompiledEdges>();

/** Returns the edges that the outputs of a node take, or its failures, compiled once per plan. */
function edgesOf(
  { worker, context }: Pick<ActivationAttempt, 'worker' | 'context'>,
  node: PlanNode,
  failed: boolean,
): readonly EdgeFunctions[] {
  const { plan, graph } = context;
  const ofGraph = compiled.get(graph) ?? { outputs: new Map(), failures: new Map() };
  compiled.set(graph, ofGraph);
  const byNode = failed ? ofGraph.failures : ofGraph.outputs;
  const known = byNode.get(node.index);
  if (known !== undefined) return known;
  const { conditions, processors } = worker.vocabulary;
  const routeContext = { compat: plan.compat };
  const edges = node.out
    .flatMap((index) => graph.edges[index] ?? [])
    // Exits are for scopes that stop.
    .filter(({ onError, exit }) => onError === failed && !exit)
    .map(
      (edge): EdgeFunctions => ({
        edge,
        callsAuthor: edge.condition?.type === 'function' || edge.processor?.type === 'function',
        usesWorkspace:
          edge.processor !== null &&
          processors.get(edge.processor.type)?.usesWorkspace?.(edge.processor.config) === true,
        condition:
          edge.condition === null
            ? undefined
            : definitionOf(conditions, edge.condition, 'condition').compile(edge.condition.config, routeContext),
        processor:
          edge.processor === null
            ? undefined
            : definitionOf(processors, edge.processor, 'processor').compile(edge.processor.config, routeContext),
      }),
    );
  byNode.set(node.index, edges);
  return edges;
}

function definitionOf<Definition>(definitions: ReadonlyMap<string, Definition>, use: Use, what: string): Definition {
  const definition = definitions.get(use.type);
  if (definition === undefined)
    throw new NodeError('PLAN_INVALID', `This worker does not know the ${what} type "${use.type}".`);
  return definition;
}
