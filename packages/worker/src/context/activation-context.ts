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
  RunId,
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
  readonly input: readonly ActivationInput[];
  /** Where the input messages are stored. */
  readonly refs: ReadonlyMap<Message, InputRef>;
  readonly answer: Message | undefined;
  /** What it comes to, in place of being executed. */
  readonly output: Message | undefined;
  /** What the source of a replay has for it; absent: the run is no replay. */
  readonly replayed?: ReplayedStep;
  /** The node's own state. */
  readonly state: unknown;
  /** How often the node has completed in its frame. */
  readonly runs: number;
  /** The files that it finds in its workspace; undefined when it uses none. */
  readonly files: ReadonlyMap<string, FileVersion> | undefined;
  /** W3C `traceparent` of whoever started the run, and the stretch of it that this is part of. */
  readonly trace: string | undefined;
  readonly segment: number;
  /** What the units that it takes place in are about. */
  readonly items: Items;
  /** The terminations that it counts for. */
  readonly terminations: readonly EnclosingTermination[];
}

/** An input message; dynamic ones are to be split into units. */
export interface ActivationInput {
  readonly message: Message;
  readonly dynamic: boolean;
}

interface Opened {
  readonly wake: Wake;
  readonly plan: Plan;
  readonly state: StateView;
  readonly record: ActivationRecord;
  readonly rehearsal?: ReplayedStep;
}

/** Loads the context of an activation. What depends on the state is read before anything is awaited. */
export async function loadActivationContext(
  runs: Runs,
  { wake, plan, state, record, rehearsal: replayed }: Opened,
): Promise<ActivationContext> {
  const { scope, graph, frame, node } = locateActivation(plan, state, record);
  const refs = inputOf(plan, state, wake.activation);
  const own = node?.state === undefined ? undefined : state.get(`${node.state}/${frame}/${node.id}`);
  const completed = node === undefined ? 0 : (state.get(`node/${frame}/${node.id}`)?.runs ?? 0);
  // What comes last in a graph that is being stopped counts for no condition any more.
  const callContext = record.part === 'exit' ? [] : enclosingTerminations(plan, state, record);
  const trace = state.get('origin')?.trace;
  const segment = state.get('run')?.segment ?? 1;
  const units = hasNamedItems(plan) ? enclosingUnits(state, record) : [];
  const files =
    node !== undefined && usesWorkspace(node, record.part) ? filesOf(state, frame, wake.activation) : undefined;
  const read = await runs.messages(wake.run, record.answer === undefined ? refs : [...refs, record.answer]);
  const input: ActivationInput[] = [];
  const stored = new Map<Message, InputRef>();
  refs.forEach((ref, at) => {
    const message = read[at];
    if (message === undefined) return;
    input.push({ message, dynamic: ref.dynamic === true });
    stored.set(message, ref);
  });
  return {
    wake,
    plan,
    graph,
    node,
    scope,
    frame,
    record,
    input,
    refs: stored,
    answer: record.answer === undefined ? undefined : read.at(-1),
    output: await givenOutput(runs, { run: wake.run, record, rehearsal: replayed }),
    ...(replayed === undefined ? {} : { replayed }),
    state: own,
    runs: completed,
    files: files === undefined ? undefined : withAttachments(files, { messages: read, at: record.readyAt }),
    terminations: callContext,
    trace,
    segment,
    items: units.length === 0 ? {} : itemsOfUnits(await Promise.all(units.map((one) => runs.messages(wake.run, one)))),
  };
}

interface Giving {
  readonly run: RunId;
  readonly record: ActivationRecord;
  readonly rehearsal: ReplayedStep | undefined;
}

/** What it was given when its run was forked, or when the source of its replay was. */
async function givenOutput(runs: Runs, { run, record, rehearsal: replayed }: Giving): Promise<Message | undefined> {
  if (record.output !== undefined) return (await runs.messages(run, [record.output]))[0];
  if (replayed?.type !== 'recorded' || replayed.recorded.output === undefined) return undefined;
  const { output } = replayed.recorded;
  const [body] = await replayed.bodies([output.id]);
  return body && messageOf(output, body);
}

/** What a message brings along is in the workspace, too: a subgraph has files of its own, but its task may come with some. */
function withAttachments(
  files: ReadonlyMap<string, FileVersion>,
  { messages, at }: { readonly messages: readonly Message[]; readonly at: number },
): ReadonlyMap<string, FileVersion> {
  const attached = foldFiles(attachedFiles(messages, at));
  return attached.size === 0 ? files : new Map([...attached, ...files]);
}
