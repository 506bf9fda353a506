import type {
  ActivationRecord,
  EnclosingTermination,
  FileVersion,
  GraphPlan,
  InputRef,
  Items,
  Message,
  Plan,
  PlanNode,
  ScopeId,
  ScopeRecord,
  StateView,
  Wake,
} from '@millrace/core';
import {
  attachedFiles,
  enclosingTerminations,
  enclosingUnits,
  filesOf,
  foldFiles,
  inputOf,
  locateActivation,
  messageOf,
  usesWorkspace,
} from '@millrace/core';
import type { ReplayedStep, Runs } from '@millrace/runtime';
import { hasNamedItems, itemsOfUnits } from './items.ts';

/** An activation with all that is needed to execute it, as of one moment. */
export interface ActivationContext {
  readonly wake: Wake;
  readonly plan: Plan;
  readonly graph: GraphPlan;
  /** Undefined for the count of votes of a root graph. */
  readonly node: PlanNode | undefined;
  readonly scope: ScopeRecord;
  /** The execution of the graph that it belongs to. */
  readonly frame: ScopeId;
  readonly record: ActivationRecord;
  readonly input: readonly Message[];
  /** The stored message of each input; dynamic ones are to be split into units. */
  readonly refs: readonly InputRef[];
  /** Answer to the question of the node. */
  readonly answer: Message | undefined;
  /** Answer to the activation's question for more money. */
  readonly budgetAnswer: Message | undefined;
  /** Output that it was given in place of being executed. */
  readonly output: Message | undefined;
  /** Step that the source of a replay has for it; undefined: the run is no replay. */
  readonly replayed: ReplayedStep | undefined;
  /** The node's own state. */
  readonly state: unknown;
  /** Number of times that the node has completed in its frame. */
  readonly runs: number;
  /** The files that it finds in its workspace; undefined when it uses none. */
  readonly files: ReadonlyMap<string, FileVersion> | undefined;
  /** W3C `traceparent` of the request that started the run. */
  readonly trace: string | undefined;
  /** Stretch of the run between two of its ends, from 1. */
  readonly segment: number;
  /** Time that timers do not count; see `Host.runTime`. */
  readonly stoodStillMs: number;
  /** Requests to models are stored in the journal. */
  readonly recordsRequests: boolean;
  /** The run is temporary and has separate memories, which are removed with it; one that only reads those of others has none. */
  readonly hasOwnMemories: boolean;
  /** Items of the units that it takes place in. */
  readonly items: Items;
  /** The terminations that it counts for. */
  readonly terminations: readonly EnclosingTermination[];
}

interface OpenActivation {
  readonly wake: Wake;
  readonly plan: Plan;
  readonly state: StateView;
  readonly record: ActivationRecord;
  readonly replayed?: ReplayedStep;
}

const noItems: Items = {};

/** Loads the context of an activation, synchronously when this process has all messages of it. */
export function loadActivationContext(
  runs: Runs,
  activation: OpenActivation,
): ActivationContext | Promise<ActivationContext> {
  const { wake, record } = activation;
  // State is read before anything is awaited.
  const found = readState(activation);
  const read = runs.messages(wake.run, record.answer === undefined ? found.refs : [...found.refs, record.answer]);
  if (read instanceof Promise || hasNamedItems(activation.plan) || hasGivenOutput(activation))
    return loadContents(runs, activation, { found, read });
  return contextOf(activation, found, { read, items: noItems, output: undefined });
}

/** The parts of a context that are in the state of the run. */
type StateParts = Omit<ActivationContext, 'record' | 'input' | 'answer' | 'budgetAnswer' | 'output' | 'items'>;

/** The parts of a context that are messages. */
interface Contents extends Pick<ActivationContext, 'items' | 'output'> {
  /** The input, and the answer if there is one. */
  readonly read: readonly Message[];
}

function readState({ wake, plan, state, record, replayed }: OpenActivation): StateParts {
  const { scope, graph, frame, node } = locateActivation(plan, state, record);
  const { trace, expiresAt, replay, recordRequests } = state.get('origin') ?? {};
  return {
    wake,
    plan,
    graph,
    node,
    scope,
    frame,
    refs: inputOf(plan, state, wake.activation),
    replayed,
    state: ownStateOf(state, frame, node),
    runs: runCountOf(state, frame, node),
    files: node !== undefined && usesWorkspace(node, record.part) ? filesOf(state, frame, wake.activation) : undefined,
    // The last nodes of a graph that is being stopped count for no termination.
    terminations: record.part === 'exit' ? [] : enclosingTerminations(plan, state, record),
    trace,
    segment: state.get('run')?.segment ?? 1,
    stoodStillMs: state.get('run')?.stoodStillMs ?? 0,
    recordsRequests: recordRequests !== false && plan.recordRequests !== false,
    hasOwnMemories: expiresAt !== undefined && replay?.mode !== 'reuse',
  };
}

interface FoundParts {
  readonly found: StateParts;
  readonly read: Contents['read'] | Promise<Contents['read']>;
}

async function loadContents(
  runs: Runs,
  activation: OpenActivation,
  { found, read }: FoundParts,
): Promise<ActivationContext> {
  const { wake, plan, state, record } = activation;
  const units = hasNamedItems(plan) ? enclosingUnits(state, record) : [];
  return contextOf(activation, found, {
    read: await read,
    items:
      units.length === 0 ? noItems : itemsOfUnits(await Promise.all(units.map((one) => runs.messages(wake.run, one)))),
    output: hasGivenOutput(activation) ? await givenOutput(runs, activation) : undefined,
  });
}

// The fields are named one by one: to spread so many, and to add more, takes several times the memory.
function contextOf(
  { record }: OpenActivation,
  found: StateParts,
  { read, items, output }: Contents,
): ActivationContext {
  const { files } = found;
  const answer = record.answer === undefined ? undefined : read.at(-1);
  const asksForBudget = record.wait?.kind === 'budget';
  return {
    wake: found.wake,
    plan: found.plan,
    graph: found.graph,
    node: found.node,
    scope: found.scope,
    frame: found.frame,
    record: asksForBudget ? withoutAnswer(record) : record,
    input: answer === undefined ? read : read.slice(0, -1),
    refs: found.refs,
    answer: asksForBudget ? undefined : answer,
    budgetAnswer: asksForBudget ? answer : undefined,
    output,
    replayed: found.replayed,
    state: found.state,
    runs: found.runs,
    files: files === undefined ? undefined : withAttachments(files, read, record.readyAt),
    terminations: found.terminations,
    trace: found.trace,
    segment: found.segment,
    stoodStillMs: found.stoodStillMs,
    recordsRequests: found.recordsRequests,
    hasOwnMemories: found.hasOwnMemories,
    items,
  };
}

const ownStateOf = (state: StateView, frame: ScopeId, node: PlanNode | undefined): unknown =>
  node?.state === undefined ? undefined : state.get(`${node.state}/${frame}/${node.id}`);

const runCountOf = (state: StateView, frame: ScopeId, node: PlanNode | undefined): number =>
  node === undefined ? 0 : (state.get(`node/${frame}/${node.id}`)?.runs ?? 0);

const hasGivenOutput = ({ record, replayed }: OpenActivation): boolean =>
  record.output !== undefined || replayed !== undefined;

/** An answer about money answers no question of the node. */
const withoutAnswer = ({ answer: _answer, ...record }: ActivationRecord): ActivationRecord => record;

/** Returns the output that it was given when its run was forked, or when the source of its replay was. */
async function givenOutput(runs: Runs, { wake, record, replayed }: OpenActivation): Promise<Message | undefined> {
  if (record.output !== undefined) return (await runs.messages(wake.run, [record.output]))[0];
  if (replayed?.type !== 'recorded' || replayed.recorded.output === undefined) return undefined;
  const { output } = replayed.recorded;
  const [body] = await replayed.bodies([output.id]);
  return body && messageOf(output, body);
}

/** Adds the attachments of messages: a subgraph has separate files, but its task may contain some. */
function withAttachments(
  files: ReadonlyMap<string, FileVersion>,
  messages: readonly Message[],
  at: number,
): ReadonlyMap<string, FileVersion> {
  const attached = foldFiles(attachedFiles(messages, at));
  return attached.size === 0 ? files : new Map([...attached, ...files]);
}
