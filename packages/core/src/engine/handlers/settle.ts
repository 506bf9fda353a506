import { questionOf } from '../../definitions/question-id.ts';
import { isOncePerRun } from '../../model/failure.ts';
import type { ActivationId, RunId, ScopeId } from '../../model/ids.ts';
import type { MemoryWrite } from '../../model/memory.ts';
import { runStoreName } from '../../model/memory.ts';
import type { MessageBody } from '../../model/messages/message.ts';
import type { FileChange } from '../../model/workspace.ts';
import type { Settlement } from '../commands/settlement.ts';
import { persistentNodeIn } from '../evolve/scopes/evolve-graph.ts';
import type { Event } from '../records/event.ts';
import type { ActivationRecord, RunRecord } from '../records/records.ts';
import { createRoute } from '../records/route.ts';
import { advance } from '../scopes/advance.ts';
import type { DecisionContext, Refusal } from '../state/decision-context.ts';
import { nextScope, refuse, suspendActivation } from '../state/decision-context.ts';
import { liveActivation } from '../state/live.ts';
import { graphOf, locateActivation, nodeOf, runOf, scopeOf, suspensionOf } from '../state/lookup.ts';
import type { Draft } from '../state/state.ts';
import { innerFlag, isHalted } from '../state/stopping-region.ts';
import { admitNextToWorkspace } from '../state/workspace-lock.ts';
import { armTermination, beginSignalWait, giveSignal } from '../termination/alarms.ts';
import { stepTerminations } from '../termination/step-terminations.ts';
import { answer } from './answer.ts';
import { askAboutCalls } from './decide-call.ts';
import { joinLastUnits } from './join-units.ts';
import { wakeFundedActivations } from './steps/budget.ts';
import type { CompleteStepCommand } from './steps/step.ts';
import { dropUnits, scopeToOpen } from './store-units.ts';

/** Settles an activation with the result of its execution. */
export interface SettleCommand {
  readonly type: 'settle';
  readonly activation: ActivationId;
  readonly token: string;
  readonly result: Settlement;
  /** Files that the activation has changed since its last step. */
  readonly files?: readonly FileChange[];
  /** Number of steps that the result depends on; absent: none. */
  readonly steps?: number;
  /** Result of the last of them, which is stored first. */
  readonly completes?: CompleteStepCommand;
  readonly bodies: readonly MessageBody[];
}

type Result<T extends Settlement['type']> = Extract<Settlement, { type: T }>;
type CompletionEvent = Extract<Event, { type: 'activation.completed' }>;

/** Settles an activation with its result, and advances the run. */
export function settle(context: DecisionContext, command: SettleCommand): Refusal | undefined {
  const live = liveActivation(context.draft, command);
  if (live.type === 'refused') return live;
  const { record } = live;
  const { activation, steps = 0, files = [] } = command;
  // A store that has lost its last commits may know the activation, but not its latest steps.
  if (steps > 0 && context.draft.get(`step/${activation}/${steps - 1}`)?.result === undefined)
    return refuse(
      'STEPS_LOST',
      `The result of activation ${activation} depends on steps that the run has lost. Execute the activation again.`,
    );
  const { frame, node } = locateActivation(context.plan, context.draft, record);
  if (files.length > 0) context.emit({ type: 'files.changed', activation, node: node?.id ?? '', frame, files });
  const refusal = settleResult(context, command, record);
  if (refusal !== undefined) return refusal;
  admitNextToWorkspace(context, frame);
  wakeFundedActivations(context);
  return undefined;
}

function settleResult(context: DecisionContext, command: SettleCommand, record: ActivationRecord): Refusal | undefined {
  const { result, activation } = command;
  if (record.part === 'exit') {
    if (result.type === 'suspended') return failWaitingExit(context, command, record);
  } else if (result.type !== 'completed' && result.type !== 'failed' && isHalted(context.plan, context.draft, record)) {
    context.emit({ type: 'activation.dropped', activation, ...innerFlag(context, record) });
    advance(context, record.scope);
    return undefined;
  }
  switch (result.type) {
    case 'completed':
      return complete(context, command, { record, result });
    case 'suspended':
      suspend(context, command, result);
      break;
    case 'postponed':
      context.emit({ type: 'activation.postponed', activation, until: result.until, token: context.nonce });
      break;
    case 'failed':
      context.emit({ type: 'activation.failed', activation, error: result.error });
      break;
    case 'called':
      dropUnits(context, activation);
      context.emit({ type: 'activation.opened', activation });
      enter(context, call(context, record, result), result);
      return undefined;
    case 'joined':
      return joined(context, activation, record);
    case 'split':
      return split(context, activation, { record, result });
  }
  advance(context, record.scope);
  return undefined;
}

/** Begins a wait, and ends it if its answer is known already. */
function suspend(
  context: DecisionContext,
  command: SettleCommand,
  { wait, answer: known, calls }: Result<'suspended'>,
): void {
  const { activation, bodies } = command;
  const { toMessageRef } = context;
  const event = wait.kind === 'event' && known !== undefined ? toMessageRef(known) : undefined;
  suspendActivation(context, activation, wait);
  if (calls !== undefined) askAboutCalls(context, activation, calls);
  else if (event !== undefined) giveSignal(context, activation, event);
  else if (wait.kind === 'event') beginSignalWait(context, activation, wait);
  else if (known !== undefined) {
    const question = questionOf({ activation, ...suspensionOf(context.draft, activation) });
    answer(context, { type: 'answer', ...question, answer: known, bodies });
  }
}

/** Fails an exit node that asks a question: a graph that is stopping does not wait. */
function failWaitingExit(
  context: DecisionContext,
  { activation }: SettleCommand,
  { scope }: ActivationRecord,
): undefined {
  const message = 'The node waits for an answer, but its graph is stopping and does not wait for answers.';
  context.emit({ type: 'activation.failed', activation, error: { code: 'EXIT_WAITS', message } });
  advance(context, scope);
}

/** Enters a called graph with its task. The task alone may satisfy the graph's termination. */
function enter(context: DecisionContext, scope: ScopeId, { observed }: Result<'called'>): void {
  stepTerminations(context, [{ scope, name: '', leaves: observed ?? {} }]);
  armTermination(context, { scope, name: '' });
  advance(context, scope);
}

function complete(
  context: DecisionContext,
  { activation }: SettleCommand,
  { record, result }: { record: ActivationRecord; result: Result<'completed'> },
): Refusal | undefined {
  const { draft, plan, emit } = context;
  const { frame, node } = locateActivation(plan, draft, record);
  if (result.state !== undefined && node?.state !== undefined) {
    const current = draft.get(`${node.state}/${frame}/${node.id}`);
    if (!isSame(current, result.state.read))
      return refuse('STATE_MOVED', `The state of node "${node.id}" has changed since it was read. Execute it again.`);
  }
  const halted = isHalted(plan, draft, record);
  const late = halted || !countsForTerminations(runOf(draft));
  const completed = completedEvent(context, activation, result);
  const routed = halted || record.part === 'exit' ? { ...completed, routes: [] } : completed;
  emit(late ? { ...routed, late } : routed);
  if (!late && result.observed !== undefined) {
    const refusal = stepTerminations(context, result.observed, { frame, node: record.node });
    if (refusal !== undefined) return refusal;
  }
  advance(context, record.scope);
  return undefined;
}

function completedEvent(
  { draft, run, toMessageRef }: DecisionContext,
  activation: ActivationId,
  { outputs, routes, state, warnings, failure, given, memory }: Result<'completed'>,
): CompletionEvent {
  return {
    type: 'activation.completed',
    activation,
    outputs: outputs.map(toMessageRef),
    routes: routes.map(({ edge, output, dropped, message }) =>
      createRoute(edge, output, { dropped, message: message && toMessageRef(message) }),
    ),
    ...(state === undefined ? {} : { state }),
    ...newWarnings(draft, warnings),
    ...(failure === undefined ? {} : { failure }),
    ...(given === undefined ? {} : { given }),
    ...(memory === undefined ? {} : memoryWriteCounts(run, memory)),
  };
}

/** Returns the warnings without those that the run has already, and has once. */
function newWarnings(draft: Draft, warnings: Result<'completed'>['warnings'] = []): Pick<CompletionEvent, 'warnings'> {
  const known = draft.get('warnings')?.once ?? [];
  const added = warnings.filter((warning) => !isOncePerRun(warning) || !known.includes(warning.message));
  return added.length === 0 ? {} : { warnings: added };
}

/** Returns whether messages in a run of this status count for its terminations. */
const countsForTerminations = ({ status }: RunRecord): boolean => status === 'running' || status === 'paused';

function memoryWriteCounts(run: RunId, memory: readonly MemoryWrite[]) {
  const remembered: Record<string, number> = {};
  for (const { store } of memory) {
    const within = runStoreName(run, store);
    if (within !== undefined) remembered[within] = (remembered[within] ?? 0) + 1;
  }
  return Object.keys(remembered).length === 0 ? {} : { remembered };
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** Joins the last units of a fan-out, which ends then. */
function joined(context: DecisionContext, activation: ActivationId, { scope }: ActivationRecord): Refusal | undefined {
  const refusal = joinLastUnits(context, scope);
  if (refusal !== undefined) return refusal;
  context.emit({ type: 'activation.opened', activation });
  advance(context, scope);
  return undefined;
}

function call(
  { draft, plan, emit, toMessageRef }: DecisionContext,
  record: ActivationRecord,
  result: Result<'called'>,
) {
  const scope = nextScope(draft);
  const node = nodeOf(graphOf(plan, scopeOf(draft, record.scope)), record.node);
  emit({
    type: 'graph.entered',
    scope,
    graph: node.graph ?? '',
    caller: { scope: record.scope, node: record.node, ...(record.unit === undefined ? {} : { unit: record.unit }) },
    task: result.task.map(toMessageRef),
    presets: result.presets.map((preset) => ({ ...preset, messages: preset.messages.map(toMessageRef) })),
  });
  return scope;
}

function split(
  context: DecisionContext,
  activation: ActivationId,
  { record, result }: { readonly record: ActivationRecord; readonly result: Result<'split'> },
): Refusal | undefined {
  const { draft, plan, emit, toMessageRef } = context;
  const { statics, before, units } = result;
  const scope = scopeToOpen(draft, activation, before);
  if (typeof scope !== 'string') return scope;
  const { node } = locateActivation(plan, draft, record);
  if (node?.fanOut === undefined) throw new Error(`activation of node ${record.node} was split but has no fan-out`);
  emit({ type: 'activation.opened', activation });
  emit({
    type: 'fanout.entered',
    scope,
    parent: record.scope,
    node: node.index,
    kind: node.fanOut.type,
    statics: statics.map(toMessageRef),
    ...(before === undefined ? {} : { before: before.count }),
    units: units.map(toMessageRef),
    groupSize: node.fanOut.groupSize,
    // A node with its own state processes its units one by one, in order, so that each sees the state that the last one left.
    maxParallel: node.state === undefined && persistentNodeIn(plan, node) === undefined ? node.fanOut.maxParallel : 1,
  });
  advance(context, scope);
  return undefined;
}
