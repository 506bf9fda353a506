import type { ActivationId, ScopeId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import { isMapping } from '../../workflow/document/mapping.ts';
import type { Command } from '../commands/command.ts';
import type { Refusal } from '../commands/refusal.ts';
import { refuse } from '../commands/refusal.ts';
import type { ActivationRecord, RunRecord } from '../records/records.ts';
import { advanceAll } from '../scopes/advance.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { hasEnded, isExecuting, isWaiting } from '../state/live.ts';
import { activationsOf, locateActivation, runOf, scopeOf } from '../state/lookup.ts';
import { leaveIdleScopes } from '../termination/enter-scopes.ts';
import { restartTerminationTimers, stepTerminations } from '../termination/step-terminations.ts';
import { setTimeoutAlarm } from './alarm.ts';

type Resume = Extract<Command, { type: 'resume' }>;

/** Goes on with a run that was paused, stopped or failed, from where it stood, or with a further task where it was completed. */
export function resume(context: DecisionContext, command: Resume): Refusal | undefined {
  const { status } = runOf(context.draft);
  if (status === 'running' || status === 'stopping' || status === 'failing' || status === 'cancelled')
    return refuse('RUN_NOT_STOPPED', cannot[status]);
  const missing = targetMissing(context, command) ?? inputMissing(status, command);
  if (missing !== undefined) return missing;
  const { budget } = command;
  const limit = context.draft.get('budget')?.limit;
  if (budget !== undefined) context.emit({ type: 'run.budgeted', budget: { ...limit, ...budget } });
  const isTold = command.to !== undefined || isExhausted(context.draft);
  goOn(context, command);
  // A task that stops the run again stays with it for whoever resumes it next.
  return isTold || runOf(context.draft).status !== 'running' ? undefined : tell(context, command);
}

/** Goes on with a run that has failed, from what failed. */
export function retry(context: DecisionContext): Refusal | undefined {
  const { status } = runOf(context.draft);
  if (status !== 'failed')
    return refuse('RUN_NOT_FAILED', `Only a run that has failed can be retried; this one is ${status}.`);
  goOn(context, { task: [] });
  return undefined;
}

const cannot = {
  running: 'The run goes on already. Only one that is paused or has ended can be resumed.',
  stopping: 'The run is still stopping: something is at work. Resume it when it is terminated.',
  failing: 'The run is still failing: something is at work. Resume it when it has failed.',
  cancelled: 'The run was cancelled, which is for good. Start a new one.',
} satisfies Partial<Record<RunRecord['status'], string>>;

/** Nothing is left of a run that was completed: it goes on with something new, or not at all. */
function inputMissing(status: RunRecord['status'], { task, to }: Resume): Refusal | undefined {
  if (status !== 'completed' || task.length > 0 || to !== undefined) return undefined;
  return refuse(
    'RESUME_INPUT_REQUIRED',
    'The run was completed, so that nothing is left to go on with; give it a further task as input.',
  );
}

/** After a handoff to somebody outside, only they know who is to go on. */
function targetMissing({ draft, plan }: DecisionContext, { to }: Resume): Refusal | undefined {
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
  return refuse('RESUME_TARGET_REQUIRED', `The run was handed over (${outside.text}); name the node that goes on.`);
}

function goOn(context: DecisionContext, { task, to, observed = {} }: Pick<Resume, 'task' | 'to' | 'observed'>): void {
  const { draft, plan, emit, nonce, toMessageRef } = context;
  const run = runOf(draft);
  const anew = hasEnded(run);
  const messages = task.map(toMessageRef);
  emit({ type: 'run.resumed', segment: anew ? run.segment + 1 : run.segment, token: nonce });
  if (anew) setTimeoutAlarm(context);
  if (runOf(draft).entered !== undefined) leaveIdleScopes(context);
  const node = plan.graphs.get('')?.nodes.find(({ id }) => id === to)?.index;
  if (node !== undefined) {
    settleLevels(context, node);
    const parked = [...activationsOf(draft)].flatMap(([id, record]) => (isParkedAt(context, record, node) ? [id] : []));
    emit({ type: 'run.told', activations: parked, messages, ...(parked.length > 0 ? {} : { node }) });
    if (messages.length > 0) askAnew(context, parked);
  } else if (messages.length > 0 && isExhausted(draft))
    emit({ type: 'graph.entered', scope: rootScope, graph: '', task: messages, presets: [] });
  stepTerminations(context, [{ scope: rootScope, name: '', leaves: observed }]);
  restartTerminationTimers(context);
  advanceAll(context);
}

/** Whether everything in the graph has run: a further task begins at its start. */
function isExhausted(draft: DecisionContext['draft']): boolean {
  const root = draft.get(`scope/${rootScope}`);
  return root?.type === 'graph' && root.live === 0 && draft.size(`due/${rootScope}`) === 0;
}

/** Whether what is told to it reaches its node: it takes its input from the node's inbox, and is not done with it. */
const listens = (context: DecisionContext, record: ActivationRecord): boolean =>
  !isExecuting(record) &&
  (isWaiting(record) ? asksAnew(context, record) : record.answer === undefined) &&
  record.node >= 0 &&
  (record.part === 'whole' || record.part === 'open');

/** Whether its question is all that it has done, so that it can be asked again with more to go by. */
const asksAnew = ({ plan, draft }: DecisionContext, record: ActivationRecord): boolean =>
  record.wait?.kind === 'human' && locateActivation(plan, draft, record).node?.waits === true;

/** Withdraws the questions of activations that were told more. */
function askAnew({ draft, emit, nonce }: DecisionContext, activations: readonly ActivationId[]): void {
  for (const activation of activations) {
    const record = draft.get(`activation/${activation}`);
    if (record !== undefined && isWaiting(record)) emit({ type: 'activation.renewed', activation, token: nonce });
  }
}

/** What the nodes of a level have told themselves stands before what a person now tells one of them. */
function settleLevels({ draft, emit }: DecisionContext, node: number): void {
  for (const key of [...draft.keys('scope/')]) {
    const id = key.slice('scope/'.length) as ScopeId; // the key's form
    const scope = scopeOf(draft, id);
    const isAround = scope.type === 'cycle' && scope.frame === rootScope && scope.members.includes(node);
    if (isAround && scope.live === 0 && scope.dispatched.length > 0) emit({ type: 'cycle.levelled', scope: id });
  }
}

/** A node of the root graph that was about to run needs not be started twice. */
const isParkedAt = (context: DecisionContext, record: ActivationRecord, node: number): boolean =>
  record.node === node && listens(context, record) && scopeOf(context.draft, record.scope).graph === '';

function tell(context: DecisionContext, { task }: Resume): Refusal | undefined {
  const { draft, emit, toMessageRef } = context;
  if (task.length === 0) return undefined;
  const activations = [...activationsOf(draft)].flatMap(([id, record]) => (listens(context, record) ? [id] : []));
  if (activations.length === 0)
    return refuse('RUN_NOT_LISTENING', 'Nothing in the run takes further input; resume it without any.');
  emit({ type: 'run.told', activations, messages: task.map(toMessageRef) });
  askAnew(context, activations);
  return undefined;
}
