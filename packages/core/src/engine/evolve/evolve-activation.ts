import { isOncePerRun } from '../../model/failure.ts';
import type { ActivationId, MessageId, ScopeId } from '../../model/ids.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { addModelCall, noModelUsage } from '../../model/usage/usage.ts';
import type { PlanNode } from '../../plan/plan.ts';
import type { Event } from '../records/event.ts';
import type { FanOutScope } from '../records/fan-out-records.ts';
import type { ActivationRecord, RunRecord, RunWarning } from '../records/records.ts';
import { hasPrivateFiles, mergeActivationFiles } from '../state/files.ts';
import type { Fold } from '../state/fold.ts';
import { failRun } from '../state/fold.ts';
import { dropMessages } from '../state/joined-messages.ts';
import { isWaiting } from '../state/live.ts';
import { frameOf, locateActivation, nodeKeyOf, runOf, scopeOf } from '../state/lookup.ts';
import type { Draft } from '../state/state.ts';
import { sharedTextsKey } from '../state/store-request.ts';
import { lockWorkspace, unlockWorkspace, workspaceFor } from '../state/workspace-lock.ts';
import { useApproval, withdrawApprovals } from './evolve-approval.ts';
import type { BudgetEvent } from './evolve-budget.ts';
import { chargeLostStep, chargeLostSteps, chargeStep, recordBudgetQuestion } from './evolve-budget.ts';
import { takeSignal } from './evolve-signal.ts';
import { completeNode, recordOutputs } from './scopes/complete-node.ts';
import { dispatchInCycle } from './scopes/evolve-cycle.ts';
import { dropStoredUnits } from './scopes/evolve-fan-out.ts';
import { dispatchInGraph } from './scopes/evolve-graph.ts';
import { nothingJoined } from './scopes/evolve-join.ts';
import { countExit } from './scopes/evolve-termination.ts';

type ActivationEvent = Exclude<
  Extract<Event, { type: `activation.${string}` | `step.${string}` }>,
  { type: BudgetEvent['type'] | 'activation.dropped' }
>;
type Of<T extends ActivationEvent['type']> = Extract<ActivationEvent, { type: T }>;

/** Folds an event of one activation. */
export function evolveActivation(fold: Fold, event: ActivationEvent): void {
  switch (event.type) {
    case 'activation.ready':
      return ready(fold, event);
    case 'activation.started':
      return update(fold.draft, event.activation, (record) => ({
        ...record,
        attempt: event.attempt,
        startedAt: fold.at,
      }));
    case 'activation.postponed':
      return update(fold.draft, event.activation, (record) => ({
        ...idle(record),
        token: event.token,
        readyAt: fold.at,
      }));
    case 'activation.suspended':
      // A node may ask several times; an answer to an earlier question does not answer this one.
      update(fold.draft, event.activation, ({ answer: _earlier, ...record }) => ({
        ...idle(record),
        wait: event.wait,
        suspensions: (record.suspensions ?? 0) + 1,
      }));
      releaseWorkspace(fold, event.activation);
      if (event.wait.kind === 'budget') recordBudgetQuestion(fold.draft, event.activation);
      return count(fold.draft, (run) => waitingBy(run, event, 1));
    case 'activation.answered': {
      const before = liveOf(fold.draft, event.activation);
      if (before.wait?.kind === 'event') takeSignal(fold.draft, event.answer);
      update(fold.draft, event.activation, (record) => ({
        ...record,
        answer: event.answer,
        token: event.token,
        readyAt: fold.at,
      }));
      requestWorkspace(fold, event, liveOf(fold.draft, event.activation));
      return count(fold.draft, (run) => waitingBy(run, before, -1));
    }
    case 'activation.renewed':
      update(fold.draft, event.activation, ({ wait: _withdrawn, ...record }) => ({
        ...record,
        token: event.token,
        readyAt: fold.at,
      }));
      withdrawApprovals(fold.draft, event.activation);
      requestWorkspace(fold, event, liveOf(fold.draft, event.activation));
      return count(fold.draft, (run) => ({ waiting: run.waiting - 1 }));
    case 'activation.completed':
      return completed(fold, event);
    case 'activation.opened':
      releaseWorkspace(fold, event.activation);
      return retire(fold.draft, event.activation);
    case 'activation.admitted':
      return admitted(fold, event);
    case 'activation.failed':
      return failed(fold, event);
    case 'step.started':
      return stepStarted(fold, event);
    case 'step.completed':
      return stepCompleted(fold, event);
    case 'step.unknown':
    case 'step.late':
      return keepWarnings(fold.draft, event.node, { activation: event.activation, warnings: [event.warning] });
  }
}

function ready({ plan, draft, at }: Fold, event: Of<'activation.ready'>): void {
  draft.set(`activation/${event.activation}`, {
    scope: event.scope,
    node: event.node,
    part: event.part,
    token: event.token,
    readyAt: at,
    attempt: 0,
    ...(event.unit === undefined ? {} : { unit: event.unit }),
    ...(event.from === undefined ? {} : { from: event.from }),
    ...(event.stop === undefined ? {} : { stop: event.stop }),
    ...(event.queue === undefined ? {} : { queue: event.queue }),
  });
  requestWorkspace({ plan, draft, at }, event, event);
  count(draft, (run) => ({
    nextActivation: run.nextActivation + 1,
    live: run.live + 1,
    activations: run.activations + 1,
  }));
  if (event.part === 'exit') return countExit(draft, event.scope);
  // The node is dispatched already, except when the votes of the root graph are counted.
  if (event.part === 'close' && event.node >= 0) return;
  const scope = scopeOf(draft, event.scope);
  if (scope.type === 'graph') dispatchInGraph({ plan, draft, at }, { id: event.scope, scope, node: event.node });
  else if (scope.type === 'cycle')
    dispatchInCycle(
      { plan, draft, at },
      { id: event.scope, scope, node: event.node, level: event.level ?? scope.level },
    );
  else if (event.part === 'join') draft.set(`scope/${event.scope}`, { ...scope, joined: nothingJoined });
  else draft.set(`scope/${event.scope}`, { ...scope, next: scope.next + 1 });
}

function completed(fold: Fold, event: Of<'activation.completed'>): void {
  const { plan, draft } = fold;
  const record = liveOf(draft, event.activation);
  const { graph, frame, node } = locateActivation(plan, draft, record);
  releaseWorkspace(fold, event.activation);
  retire(draft, event.activation);
  if (record.from !== undefined && record.part !== 'exit') dropMessages(draft, record.from);
  dropStoredUnits(draft, record);
  if (node === undefined) {
    // The count of votes of the root graph: its output is the output of the run.
    const root = scopeOf(draft, record.scope);
    if (root.type === 'graph') draft.set(`scope/${record.scope}`, { ...root, live: root.live - 1 });
    draft.set(`node/${frame}/`, { runs: 1, ...(event.outputs[0] === undefined ? {} : { last: event.outputs[0] }) });
    return;
  }
  if (event.state !== undefined) keepState(draft, { frame, node }, event.state);
  if (event.warnings !== undefined) keepWarnings(draft, nodeKeyOf(graph, node), event);
  const scope = scopeOf(draft, record.scope);
  if (record.unit !== undefined && (scope.type === 'map' || scope.type === 'tree')) {
    return unitCompleted(draft, { scope, unit: record.unit, record }, event);
  }
  mergeActivationFiles(draft, frame, event.activation);
  const done = { scopeId: record.scope, graph, frame: frameOf(scope, record.scope), node };
  if (record.part === 'exit') recordOutputs(draft, done, event);
  else completeNode(fold, done, event);
}

/** Number of warnings of a run that are kept. */
const keptWarnings = 5;
/** Number of warnings that a run has once which are known. */
const keptOnce = 20;

function keepWarnings(
  draft: Draft,
  node: string,
  { activation, warnings: added = [] }: Pick<Of<'activation.completed'>, 'activation' | 'warnings'>,
): void {
  const latest = added.map((warning): RunWarning => ({ activation, node, ...warning }));
  const before = draft.get('warnings') ?? { count: 0, latest: [] };
  const once = [...new Set([...(before.once ?? []), ...added.filter(isOncePerRun).map(({ message }) => message)])];
  draft.set('warnings', {
    count: before.count + added.length,
    latest: [...before.latest, ...latest].slice(-keptWarnings),
    ...(once.length === 0 ? {} : { once: once.slice(-keptOnce) }),
  });
}

function keepState(
  draft: Draft,
  { frame, node }: { frame: ScopeId; node: PlanNode },
  { write }: NonNullable<Of<'activation.completed'>['state']>,
): void {
  if (node.state === undefined) return;
  const key = `${node.state}/${frame}/${node.id}` as const;
  if (write === null) draft.delete(key);
  else draft.set(key, write);
}

interface Unit {
  readonly scope: FanOutScope;
  readonly unit: number;
  readonly record: ActivationRecord;
}

/**
 * Folds the result of a unit. Its outputs wait for those of its siblings, and so do its files if the units run in
 * parallel.
 */
function unitCompleted(draft: Draft, { scope, unit, record }: Unit, event: Of<'activation.completed'>): void {
  const { activation, outputs, routes } = event;
  const keeps = hasPrivateFiles(scope, record) && draft.size(`changes/${activation}`) > 0;
  if (!keeps) mergeActivationFiles(draft, scope.frame, activation);
  draft.set(`result/${record.scope}/${unit}`, { outputs, routes, ...(keeps ? { changes: activation } : {}) });
  draft.set(`scope/${record.scope}`, { ...scope, settled: scope.settled + 1 });
}

function failed(fold: Fold, event: Of<'activation.failed'>): void {
  const record = liveOf(fold.draft, event.activation);
  const { node } = locateActivation(fold.plan, fold.draft, record);
  // An exit node of a graph that was stopped is not executed again when the run is resumed.
  if (record.part === 'exit') {
    dropStoredUnits(fold.draft, record);
    retire(fold.draft, event.activation);
  } else {
    chargeLostSteps(fold.draft, event.activation, record);
    fold.draft.set(`activation/${event.activation}`, { ...idle(record), failed: true });
    count(fold.draft, (run) => ({ live: run.live - 1 }));
  }
  failRun(fold, { ...event.error, activation: event.activation, ...(node === undefined ? {} : { node: node.id }) });
}

function stepStarted({ draft, at }: Fold, event: Of<'step.started'>): void {
  const { counts, name, request, asked, approval, refused } = event;
  useApproval(draft, event);
  update(draft, event.activation, (record) => {
    // A step with a different request voids all later steps of the attempt.
    for (let later = event.step; later < (record.steps ?? 0); later++) {
      chargeLostStep(draft, `step/${event.activation}/${later}`);
      draft.delete(`step/${event.activation}/${later}`);
    }
    // Before the spread, as fields that are added after one take much longer.
    return { startedAt: at, ...record, steps: event.step + 1 };
  });
  draft.set(
    `step/${event.activation}/${event.step}`,
    omitUndefined({ name, request, counts, asked: asked && (true as const), approval, refused }),
  );
  if (asked?.texts !== undefined) keepTexts(draft, asked.texts);
  if (counts === undefined) return;
  for (const [key, value] of Object.entries(counts)) draft.set(`tally/${key}`, value);
}

/** Number of shared messages that a run knows; of more, the oldest are forgotten, and stored again when they are used again. */
const keptTexts = 256;

/** Keeps the messages that later calls of the run may name. */
function keepTexts(draft: Draft, texts: Readonly<Record<string, MessageId>>): void {
  draft.append(
    sharedTextsKey,
    Object.entries(texts).map(([digest, id]) => ({ digest, id })),
  );
  draft.trim(sharedTextsKey, keptTexts);
}

function stepCompleted({ plan, draft }: Fold, event: Of<'step.completed'>): void {
  const key = `step/${event.activation}/${event.step}` as const;
  const step = draft.get(key);
  const { usage, failed, recorded } = event;
  if (step !== undefined)
    draft.set(key, {
      result: event.result,
      ...chargeStep(draft, step, event),
      ...(failed ? { failed } : {}),
      ...(recorded === undefined ? {} : { recorded: true as const }),
    });
  if (recorded !== undefined) countReused(draft, recorded);
  if (usage === undefined) return;
  const { graph, node } = locateActivation(plan, draft, liveOf(draft, event.activation));
  if (node !== undefined) {
    const key = `usage/${nodeKeyOf(graph, node)}` as const;
    draft.set(key, addModelCall(draft.get(key) ?? noModelUsage, usage));
  }
  count(draft, (run) => ({ usage: addModelCall(run.usage, usage) }));
}

/** Counts a step that took its result from the source of a replay. */
function countReused(draft: Draft, { usage, from }: NonNullable<Of<'step.completed'>['recorded']>): void {
  count(draft, ({ recorded = noModelUsage, reused = { steps: 0, moved: 0 } }) => ({
    reused: { steps: reused.steps + 1, moved: reused.moved + (from === undefined ? 0 : 1) },
    ...(usage === undefined ? {} : { recorded: addModelCall(recorded, usage) }),
  }));
}

/** Returns the record without its worker. */
function idle({ startedAt: _past, ...record }: ActivationRecord): ActivationRecord {
  return record;
}

type WakingEvent = Of<'activation.ready' | 'activation.answered' | 'activation.renewed'>;

/** Gives the lock of its workspace to an activation that uses it, or queues the activation for the lock. */
function requestWorkspace(
  { plan, draft }: Fold,
  { activation, held }: WakingEvent,
  record: Parameters<typeof workspaceFor>[2],
): void {
  const frame = workspaceFor(plan, draft, record);
  if (frame === undefined) return;
  lockWorkspace(draft, { frame, activation, held: held === true });
  if (held) update(draft, activation, (record) => ({ ...record, held }));
}

function releaseWorkspace({ plan, draft }: Fold, activation: ActivationId): void {
  const frame = workspaceFor(plan, draft, liveOf(draft, activation));
  if (frame !== undefined) unlockWorkspace(draft, frame, activation);
}

function admitted({ plan, draft, at }: Fold, { activation, token }: Of<'activation.admitted'>): void {
  const frame = workspaceFor(plan, draft, liveOf(draft, activation));
  if (frame !== undefined) {
    draft.trim(`lock-queue/${frame}`, draft.size(`lock-queue/${frame}`) - 1);
    lockWorkspace(draft, { frame, activation, held: false });
  }
  update(draft, activation, ({ held: _past, ...record }) => ({ ...record, token, readyAt: at }));
}

/** Removes a settled activation and its steps. */
export function retire(draft: Draft, id: ActivationId): void {
  const record = liveOf(draft, id);
  chargeLostSteps(draft, id, record);
  for (let step = 0; step < (record.steps ?? 0); step++) draft.delete(`step/${id}/${step}`);
  draft.delete(`activation/${id}`);
  draft.delete(`approvals/${id}`);
  count(draft, (run) => ({
    live: record.failed ? run.live : run.live - 1,
    ...(isWaiting(record) ? waitingBy(run, record, -1) : {}),
  }));
}

function liveOf(draft: Draft, id: ActivationId): ActivationRecord {
  const record = draft.get(`activation/${id}`);
  if (record === undefined) throw new Error(`activation ${id} is not live`);
  return record;
}

function update(draft: Draft, id: ActivationId, change: (record: ActivationRecord) => ActivationRecord): void {
  draft.set(`activation/${id}`, change(liveOf(draft, id)));
}

function count(draft: Draft, change: (run: RunRecord) => Partial<RunRecord>): void {
  const run = runOf(draft);
  draft.set('run', { ...run, ...change(run) });
}

/** Returns the counts of a run after a change of those that wait, by an activation with this wait. */
export const waitingBy = (
  { waiting, listening = 0 }: RunRecord,
  { wait }: Pick<ActivationRecord, 'wait'>,
  change: 1 | -1,
): Pick<RunRecord, 'waiting' | 'listening'> => ({
  waiting: waiting + change,
  ...(wait?.kind === 'event' ? { listening: listening + change } : {}),
});
