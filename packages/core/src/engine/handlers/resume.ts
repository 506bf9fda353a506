import type { ActivationId, ScopeId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import type { MessageBody } from '../../model/messages/message.ts';
import type { Budget } from '../../model/usage/budget.ts';
import { isMapping } from '../../workflow/document/mapping.ts';
import type { NewMessage } from '../commands/new-message.ts';
import type { ConditionObservations } from '../commands/settlement.ts';
import type { ActivationRecord, RunRecord } from '../records/records.ts';
import { advanceAll } from '../scopes/advance.ts';
import type { DecisionContext, Refusal } from '../state/decision-context.ts';
import { refuse } from '../state/decision-context.ts';
import { hasEnded, isExecuting, isWaiting } from '../state/live.ts';
import { activationsOf, locateActivation, runOf, scopeOf, suspensionOf } from '../state/lookup.ts';
import { leaveIdleScopes } from '../termination/enter-scopes.ts';
import { restartTerminationTimers, stepTerminations } from '../termination/step-terminations.ts';
import { setTimeoutAlarm } from './alarm.ts';

/** Resumes a run that was paused, stopped or failed; the activations that are woken receive `task`. */
interface ResumeCommand {
  readonly type: 'resume';
  readonly task: readonly NewMessage[];
  /** New limits of the whole run; limits that are absent do not change. */
  readonly budget?: Budget;
  readonly bodies: readonly MessageBody[];
  /** The node that receives the task; absent: the activations that are woken. */
  readonly to?: string;
  readonly observed?: ConditionObservations;
}

/** Resumes a run that was paused, stopped or failed, or starts a further task in a completed one. */
export function resume(context: DecisionContext, command: ResumeCommand): Refusal | undefined {
  const { status } = runOf(context.draft);
  if (status === 'running' || status === 'stopping' || status === 'failing' || status === 'cancelled')
    return refuse('RUN_NOT_STOPPED', notResumable[status]);
  const missing = targetMissing(context, command) ?? inputMissing(status, command);
  if (missing !== undefined) return missing;
  const { budget } = command;
  const limit = context.draft.get('budget')?.limit;
  if (budget !== undefined) context.emit({ type: 'run.budgeted', budget: { ...limit, ...budget } });
  const isDelivered = command.to !== undefined || isExhausted(context.draft);
  continueRun(context, command);
  // If the task itself stops the run again, it is kept for the next resume.
  return isDelivered || runOf(context.draft).status !== 'running' ? undefined : deliverTask(context, command);
}

/** Resumes a run that has failed, at the activations that failed. */
export function retry(context: DecisionContext): Refusal | undefined {
  const { status } = runOf(context.draft);
  if (status !== 'failed')
    return refuse('RUN_NOT_FAILED', `Only a run that has failed can be retried; this one is ${status}.`);
  continueRun(context, { task: [] });
  return undefined;
}

const notResumable = {
  running: 'The run is already running. Only a run that is paused or has ended can be resumed.',
  stopping: 'The run is still stopping: an activation is executing. Resume the run when it is terminated.',
  failing: 'The run is still failing: an activation is executing. Resume the run when it has failed.',
  cancelled: 'The run was cancelled and cannot be resumed. Start a new run.',
} satisfies Partial<Record<RunRecord['status'], string>>;

/** Refuses to resume a completed run without a further task: nothing is left to execute in it. */
function inputMissing(status: RunRecord['status'], { task, to }: ResumeCommand): Refusal | undefined {
  if (status !== 'completed' || task.length > 0 || to !== undefined) return undefined;
  return refuse(
    'RESUME_INPUT_REQUIRED',
    'The run is completed and has nothing left to execute. Give it a further task as input.',
  );
}

/** Refuses to resume without a target after a handoff to a name outside of the graph, or with an unknown target. */
function targetMissing({ draft, plan }: DecisionContext, { to }: ResumeCommand): Refusal | undefined {
  const graph = plan.graphs.get('');
  if (to !== undefined) {
    if (graph?.nodes.some(({ id }) => id === to)) return undefined;
    return refuse('RESUME_TARGET_UNKNOWN', `The graph of the run has no node "${to}".`);
  }
  const outside = runOf(draft).stop?.leaves?.find((met) => {
    const leaf = met.type === 'handoff' ? graph?.termination?.leaves.find(({ path }) => path === met.path) : undefined;
    const target = isMapping(leaf?.config) ? leaf.config.target : undefined;
    return target !== undefined && !graph?.nodes.some(({ id }) => id === target);
  });
  if (outside === undefined) return undefined;
  return refuse('RESUME_TARGET_REQUIRED', `The run was handed over (${outside.text}). Name the node that continues.`);
}

function continueRun(
  context: DecisionContext,
  { task, to, observed = {} }: Pick<ResumeCommand, 'task' | 'to' | 'observed'>,
): void {
  const { draft, plan, emit, at, nonce, toMessageRef } = context;
  const run = runOf(draft);
  const isEnded = hasEnded(run);
  const messages = task.map(toMessageRef);
  emit({
    type: 'run.resumed',
    segment: isEnded ? run.segment + 1 : run.segment,
    token: nonce,
    ...(isEnded ? { stoodStillMs: at - (run.finishedAt ?? at) } : {}),
  });
  if (isEnded) setTimeoutAlarm(context);
  if (runOf(draft).entered !== undefined) leaveIdleScopes(context);
  const node = plan.graphs.get('')?.nodes.find(({ id }) => id === to)?.index;
  if (node !== undefined) {
    settleLevels(context, node);
    const parked = [...activationsOf(draft)].flatMap(([id, record]) =>
      isParkedAt(context, [id, record], node) ? [id] : [],
    );
    emit({ type: 'run.told', activations: parked, messages, ...(parked.length > 0 ? {} : { node }) });
    if (messages.length > 0) renewQuestions(context, parked);
  } else if (messages.length > 0 && isExhausted(draft))
    emit({ type: 'graph.entered', scope: rootScope, graph: '', task: messages, presets: [] });
  stepTerminations(context, [{ scope: rootScope, name: '', leaves: observed }]);
  restartTerminationTimers(context);
  advanceAll(context);
}

/** Returns whether everything in the graph has run, so that a further task begins at its start nodes. */
function isExhausted(draft: DecisionContext['draft']): boolean {
  const root = draft.get(`scope/${rootScope}`);
  return root?.type === 'graph' && root.live === 0 && draft.size(`due/${rootScope}`) === 0;
}

/**
 * Returns whether a message to its node reaches the activation: it reads the node's inbox, and has not started or can ask
 * again. One whose calls people decide on has started.
 */
const acceptsInput = (context: DecisionContext, id: ActivationId, record: ActivationRecord): boolean =>
  !isExecuting(record) &&
  context.draft.get(`approvals/${id}`) === undefined &&
  (isWaiting(record) ? canAskAgain(context, record) : record.answer === undefined) &&
  record.node >= 0 &&
  (record.part === 'whole' || record.part === 'open');

/** Returns whether a question is all that the activation has done, so that it can ask again with more input. */
const canAskAgain = ({ plan, draft }: DecisionContext, record: ActivationRecord): boolean =>
  record.wait?.kind === 'human' && locateActivation(plan, draft, record).node?.waits === true;

/** Withdraws the questions of activations that have received more input. */
function renewQuestions({ draft, emit, nonce }: DecisionContext, activations: readonly ActivationId[]): void {
  for (const activation of activations) {
    const record = draft.get(`activation/${activation}`);
    if (record !== undefined && isWaiting(record))
      emit({ type: 'activation.renewed', activation, ...suspensionOf(draft, activation), token: nonce });
  }
}

/** Applies pending deliveries in idle cycles around a node, so that they come before the messages of a person. */
function settleLevels({ draft, emit }: DecisionContext, node: number): void {
  for (const key of [...draft.keys('scope/')]) {
    const id = key.slice('scope/'.length) as ScopeId; // the key's form
    const scope = scopeOf(draft, id);
    const containsNode = scope.type === 'cycle' && scope.frame === rootScope && scope.members.includes(node);
    if (containsNode && scope.live === 0 && scope.dispatched.length > 0) emit({ type: 'cycle.advanced', scope: id });
  }
}

/** Returns whether an activation of this node of the root graph is parked, so that the node need not be started again. */
const isParkedAt = (
  context: DecisionContext,
  [id, record]: readonly [ActivationId, ActivationRecord],
  node: number,
): boolean =>
  record.node === node && acceptsInput(context, id, record) && scopeOf(context.draft, record.scope).graph === '';

function deliverTask(context: DecisionContext, { task }: ResumeCommand): Refusal | undefined {
  const { draft, emit, toMessageRef } = context;
  if (task.length === 0) return undefined;
  const activations = [...activationsOf(draft)].flatMap(([id, record]) =>
    acceptsInput(context, id, record) ? [id] : [],
  );
  if (activations.length === 0)
    return refuse('RUN_NOT_LISTENING', 'No activation of the run accepts further input. Resume the run without input.');
  emit({ type: 'run.told', activations, messages: task.map(toMessageRef) });
  renewQuestions(context, activations);
  return undefined;
}
