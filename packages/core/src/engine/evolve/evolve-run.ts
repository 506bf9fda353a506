import type { ActivationId, AlarmId, ScopeId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import { noModelUsage } from '../../model/usage/usage.ts';
import type { GraphPlan } from '../../plan/plan.ts';
import type { Event } from '../records/event.ts';
import type { ActivationRecord, CycleScope } from '../records/records.ts';
import type { Fold } from '../state/fold.ts';
import { failRun } from '../state/fold.ts';
import { appendToInbox } from '../state/inbox.ts';
import { isExecuting, isWaiting } from '../state/live.ts';
import {
  activationsOf,
  alarmsOf,
  graphOf,
  locateActivation,
  nodeOf,
  pausesWithRun,
  runOf,
  scopeOf,
} from '../state/lookup.ts';
import type { Draft } from '../state/state.ts';
import { moveApprovals, spendApprovals } from './evolve-approval.ts';
import { budgetQueueKey, chargeLostSteps, evolveBudget } from './evolve-budget.ts';
import { recordFork, resetForkedActivation } from './evolve-fork.ts';
import { itemRecordOf } from './scopes/evolve-graph.ts';
import { continueTerminations, resumeTerminations } from './scopes/evolve-termination.ts';

type RunEvent = Extract<Event, { type: `run.${string}` | `alarm.${string}` | `journal.${string}` }>;
type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

/** Folds an event of the run as a whole, or of its journal. */
export function evolveRun(fold: Fold, event: RunEvent): void {
  const { draft, at } = fold;
  switch (event.type) {
    case 'run.started':
      return started(fold, event);
    case 'run.failing':
      if (event.inFlight === 'cancel') detachWorkers(draft);
      return failRun(fold, event.error);
    case 'run.stopping':
      if (event.inFlight === 'cancel') detachWorkers(draft);
      return draft.set('run', { ...runOf(draft), status: 'stopping', stop: event.stop });
    case 'run.paused':
      return draft.set('run', { ...runOf(draft), status: 'paused', pausedAt: at });
    case 'run.resumed':
      return resumed(fold, event);
    case 'run.forked':
      return forked(fold, event);
    case 'run.told':
      return deliverMessages(fold, event);
    case 'run.finished': {
      const { status, output, error } = event;
      // Nobody waits for the calls that are under way, and no attempt makes them again.
      if (status === 'cancelled') for (const [id, record] of activationsOf(draft)) chargeLostSteps(draft, id, record);
      return draft.set('run', {
        ...runOf(draft),
        status,
        finishedAt: at,
        ...(output === undefined ? {} : { output }),
        ...(error === undefined ? {} : { error }),
      });
    }
    case 'journal.archived': {
      const { type: _type, bodies: _bodies, ...segment } = event;
      return draft.append('archive/journal', [segment]);
    }
    case 'alarm.set':
      return draft.set(event.alarm, { dueAt: event.dueAt, token: event.token });
    case 'alarm.cleared':
      return draft.delete(event.alarm);
  }
}

function started(fold: Fold, { plan, origin, timeoutMs, budget }: Of<'run.started'>): void {
  const { draft, at } = fold;
  draft.set('origin', origin);
  draft.set('run', {
    status: 'running',
    plan,
    startedAt: at,
    segment: 1,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    nextActivation: 1,
    nextMessage: 1,
    nextScope: 0,
    nextArrival: 1,
    live: 0,
    waiting: 0,
    activations: 0,
    usage: noModelUsage,
  });
  if (budget !== undefined) evolveBudget(fold, { type: 'run.budgeted', budget });
}

/** Parks the activations that are executing: their workers are no longer waited for. */
function detachWorkers(draft: Draft): void {
  for (const [id, record] of activationsOf(draft)) {
    const { startedAt, ...parked } = record;
    if (startedAt !== undefined) draft.set(`activation/${id}`, parked);
  }
}

function resumed(fold: Fold, { token, segment, stoodStillMs = 0 }: Of<'run.resumed'>): void {
  const { draft, at } = fold;
  const { finishedAt } = runOf(draft);
  resumeTerminations(draft, at);
  if (finishedAt === undefined) return continueRun(fold, { token, segment });
  draft.set('run', { ...runOf(draft), resumed: token });
  continueRun(fold, { token, segment, stoodStillMs });
}

function forked(fold: Fold, event: Of<'run.forked'>): void {
  const { draft, at } = fold;
  // Where the journal of the other run is stored does not concern the fork.
  draft.trim('archive/journal', 0);
  draft.append(
    'archive/journal',
    (event.parts ?? []).map((part) => ({ ...part, copiedAt: at })),
  );
  // Workers of the original run do not work on this one.
  detachWorkers(draft);
  if (event.plan !== undefined) draft.set('run', { ...runOf(draft), plan: event.plan });
  resetForkedActivation(fold, event);
  recordFork(draft, event);
  continueTerminations(draft, at, event.elapsed);
  continueRun(fold, { token: event.token, segment: runOf(draft).segment, stoodStillMs: event.stoodStillMs ?? 0 });
  const { stoodStillMs, ...run } = runOf(draft);
  if (stoodStillMs !== undefined) draft.set('run', { ...run, stoodStillMs, stoodStillBeforeForkMs: stoodStillMs });
}

interface Continuation {
  readonly token: string;
  readonly segment: number;
  /** Time during which nothing happened in the run; absent: it was only paused. */
  readonly stoodStillMs?: number;
}

function continueRun({ draft, at }: Fold, { token, segment, stoodStillMs }: Continuation): void {
  const { stop: _stop, error: _error, output: _output, finishedAt: _end, pausedAt, ...run } = runOf(draft);
  let { live, waiting } = run;
  for (const [id, record] of activationsOf(draft)) {
    if (isWaiting(record) || isExecuting(record) || record.held) continue;
    const { short, ...awake } = withoutFailure(draft, id, record);
    if (record.failed) live++;
    if (short !== undefined) waiting--;
    draft.set(`activation/${id}`, { ...awake, token, readyAt: at });
  }
  draft.trim(budgetQueueKey, 0);
  draft.set('run', { ...run, live, waiting, segment, status: 'running' });
  if (stoodStillMs !== undefined) skipTime(draft, token, stoodStillMs);
  else moveAlarms(draft, { token, byMs: at - (pausedAt ?? at), isMoved: pausesWithRun });
}

/** Moves all times of a run in which nothing has happened for a while: its alarms, the ends of its waits, and its timers. */
function skipTime(draft: Draft, token: string, byMs: number): void {
  moveAlarms(draft, { token, byMs, isMoved: () => true });
  for (const [id] of activationsOf(draft)) moveWait(draft, id, byMs);
  const run = runOf(draft);
  if (byMs > 0) draft.set('run', { ...run, stoodStillMs: (run.stoodStillMs ?? 0) + byMs });
}

interface AlarmMove {
  readonly token: string;
  readonly byMs: number;
  readonly isMoved: (alarm: AlarmId) => boolean;
}

function moveAlarms(draft: Draft, { token, byMs, isMoved }: AlarmMove): void {
  for (const [alarm, { dueAt }] of alarmsOf(draft))
    if (isMoved(alarm)) draft.set(alarm, { dueAt: dueAt + byMs, token });
}

/** Moves the end of an activation's wait for a signal, as its alarm is moved. */
function moveWait(draft: Draft, id: ActivationId, byMs: number): void {
  moveApprovals(draft, id, byMs);
  const record = draft.get(`activation/${id}`);
  const event = record?.wait?.event;
  if (record?.wait === undefined || event?.until === undefined) return;
  draft.set(`activation/${id}`, {
    ...record,
    wait: { ...record.wait, event: { ...event, until: event.until + byMs } },
  });
}

/** Returns the activation as it was before it failed: its failed last steps are deleted, completed ones are kept. */
function withoutFailure(draft: Draft, id: ActivationId, record: ActivationRecord): ActivationRecord {
  const { failed, ...awake } = record;
  if (failed === undefined || awake.steps === undefined) return awake;
  let { steps } = awake;
  for (; draft.get(`step/${id}/${steps - 1}`)?.failed; steps--) draft.delete(`step/${id}/${steps - 1}`);
  spendApprovals(draft, id, steps);
  return { ...awake, steps };
}

function deliverMessages(fold: Fold, { activations, messages, node: target }: Of<'run.told'>): void {
  const { plan, draft } = fold;
  if (target !== undefined) resumeAtNode(fold, target, messages);
  for (const id of activations) {
    const record = draft.get(`activation/${id}`);
    if (record === undefined) continue;
    const { frame, node } = locateActivation(plan, draft, record);
    if (node !== undefined) for (const message of messages) appendToInbox(draft, { frame, node: node.id }, message);
  }
}

/*
 * A person names the node at which the run resumes, although no edge leads to it. In a cycle that is being executed, the
 * node is due in a new sweep. Elsewhere, its item is due, and items after it wait for it again if it was completed before.
 */

/** Makes a node of the root graph due, and delivers these messages to it. */
function resumeAtNode({ plan, draft }: Fold, node: number, messages: readonly MessageRef[]): void {
  const graph = graphOf(plan, scopeOf(draft, rootScope));
  for (const message of messages) appendToInbox(draft, { frame: rootScope, node: nodeOf(graph, node).id }, message);
  const enclosing = enclosingCycle(draft, node);
  if (enclosing === undefined) return resumeAtItem(draft, graph, node);
  const [id, cycle] = enclosing;
  // In a cycle in which nothing has started yet, the first sweep stays as it is.
  const sweep = cycle.level === 0 ? {} : { iteration: cycle.iteration + 1, roots: [cycle.entry, node], level: 0 };
  draft.set(`scope/${id}`, { ...cycle, ...sweep, told: node });
}

/** Returns the innermost cycle of the root graph that is being executed and contains a node. */
function enclosingCycle(draft: Draft, node: number): readonly [ScopeId, CycleScope] | undefined {
  const cycles = [...draft.keys('scope/')].flatMap((key) => {
    const id = key.slice('scope/'.length) as ScopeId; // the key's form
    const scope = scopeOf(draft, id);
    const containsNode = scope.type === 'cycle' && scope.frame === rootScope && scope.members.includes(node);
    return containsNode ? [[id, scope] as const] : [];
  });
  return cycles.sort(([, a], [, b]) => a.members.length - b.members.length)[0];
}

function resumeAtItem(draft: Draft, graph: GraphPlan, node: number): void {
  const index = graph.itemOf[node] ?? 0;
  const wasSettled = isSettled(draft, graph, index);
  const record = itemRecordOf(draft, { id: rootScope, graph }, index);
  draft.set(`item/${rootScope}/${index}`, { ...record, triggered: [node], told: true });
  if (!wasSettled) return;
  reopen(draft, graph, index);
  draft.append(`due/${rootScope}`, [index]);
}

const isDue = (draft: Draft, item: number): boolean => draft.list(`due/${rootScope}`).includes(item);

/** Returns whether an item was started or skipped: it has no record and is not due, although an item before it is settled. */
function isSettled(draft: Draft, graph: GraphPlan, item: number): boolean {
  if (draft.get(`item/${rootScope}/${item}`) !== undefined || isDue(draft, item)) return false;
  const before = graph.items.filter(({ successors }) => successors.includes(item));
  return before.length === 0 || before.some(({ index }) => isSettled(draft, graph, index));
}

/** Makes the items after a settled item wait for it again. */
function reopen(draft: Draft, graph: GraphPlan, item: number): void {
  for (const successor of graph.items[item]?.successors ?? []) {
    const record = draft.get(`item/${rootScope}/${successor}`);
    if (isDue(draft, successor)) {
      const others = draft.list(`due/${rootScope}`).filter((one) => one !== successor);
      draft.trim(`due/${rootScope}`, 0);
      draft.append(`due/${rootScope}`, others);
    }
    const { remaining, triggered } = record ?? { remaining: 0, triggered: [] };
    draft.set(`item/${rootScope}/${successor}`, { remaining: remaining + 1, triggered });
    if (record === undefined) reopen(draft, graph, successor);
  }
}
