import type { ScopeId } from '../../../model/ids.ts';
import { rootScope } from '../../../model/ids.ts';
import type { Event } from '../../records/event.ts';
import type { RunRecord, TerminationRecord } from '../../records/records.ts';
import type { ElapsedTime, ScopeRef } from '../../records/stop.ts';
import type { NodeInFrame } from '../../state/enclosing-terminations.ts';
import { hasTerminations, terminationOf, terminationsForNode } from '../../state/enclosing-terminations.ts';
import type { Fold } from '../../state/fold.ts';
import { runOf } from '../../state/lookup.ts';
import type { Draft, StateView } from '../../state/state.ts';

type TerminationEvent = Extract<
  Event,
  { type: 'scope.entered' | 'scope.left' | 'termination.moved' | 'termination.reset' | 'graph.exiting' }
>;

/** Folds an event of a termination whose scope continues. */
export function evolveTermination(fold: Fold, event: TerminationEvent): void {
  const { draft, plan } = fold;
  switch (event.type) {
    case 'scope.entered': {
      beginTermination(fold, event);
      const run = runOf(draft);
      draft.set('run', { ...run, entered: [...(run.entered ?? []), { scope: event.scope, name: event.name }] });
      return;
    }
    case 'scope.left':
      return endTermination(draft, event);
    case 'termination.moved': {
      const key = `termination/${event.scope}/${event.name}` as const;
      const record = draft.get(key);
      if (record !== undefined) draft.set(key, { ...record, cells: { ...record.cells, ...event.cells } });
      return;
    }
    case 'termination.reset': {
      const key = `termination/${event.scope}/${event.name}` as const;
      const record = draft.get(key);
      if (record !== undefined) draft.set(key, { ...record, startedAt: fold.at, pausedMs: 0, cells: {} });
      return;
    }
    case 'graph.exiting': {
      const { scope, messages, skipped } = event;
      const record = draft.get(`termination/${scope}/`);
      const all = terminationOf(plan, draft, { scope, name: '' })?.exitTo.length ?? 0;
      if (record !== undefined) draft.set(`termination/${scope}/`, { ...record, exits: skipped ? all : 0 });
      draft.trim(`exits/${scope}`, 0);
      draft.append(`exits/${scope}`, messages);
    }
  }
}

/** Creates or resets the termination record of a scope. */
export function beginTermination({ draft, at }: Pick<Fold, 'draft' | 'at'>, { scope, name }: ScopeRef): void {
  const since = runOf(draft).nextMessage;
  draft.set(`termination/${scope}/${name}`, { startedAt: at, pausedMs: 0, cells: {}, open: 0, since });
}

/** Counts one more started exit node of a graph. */
export function countExit(draft: Draft, scope: ScopeId): void {
  const record = draft.get(`termination/${scope}/`);
  if (record !== undefined) draft.set(`termination/${scope}/`, { ...record, exits: (record.exits ?? 0) + 1 });
}

/** Removes the termination record of a scope that is settled. */
export function endTermination(draft: Draft, { scope, name }: ScopeRef): void {
  const { entered, halting, ...run } = runOf(draft);
  const others = (names: readonly ScopeRef[] = []) => names.filter((one) => one.scope !== scope || one.name !== name);
  const left = others(entered);
  const halts = others(halting);
  draft.set('run', {
    ...run,
    ...(left.length === 0 ? {} : { entered: left }),
    ...(halts.length === 0 ? {} : { halting: halts }),
  });
  draft.delete(`termination/${scope}/${name}`);
}

/** Counts the executing nodes of the named scopes that a node belongs to. */
export function countRunningNodes({ plan, draft }: Pick<Fold, 'plan' | 'draft'>, at: NodeInFrame, by: 1 | -1): void {
  if (!hasTerminations(plan) || at.graph.scopes.length === 0) return;
  for (const [name] of terminationsForNode(at.graph, at.node)) {
    const key = `termination/${at.frame}/${name}` as const;
    const record = draft.get(key);
    if (name !== '' && record !== undefined) draft.set(key, { ...record, open: record.open + by });
  }
}

/** Returns the part of the current pause that counts for a scope at the time `at`, in milliseconds; 0 without a pause. */
export const ongoingPauseMs = (
  { pausedAt }: Pick<RunRecord, 'pausedAt'>,
  { startedAt }: TerminationRecord,
  at: number,
) => (pausedAt === undefined ? 0 : Math.max(0, at - Math.max(pausedAt, startedAt)));

/**
 * Updates the terminations of a run that is resumed at the time `at`. The run's own is reset when the run was stopped
 * or completed; all others keep their counts. The time between an end and the resume does not count; a pause is time
 * that a condition may count.
 */
export function resumeTerminations(draft: Draft, at: number): void {
  const { finishedAt: endedAt = at, ...run } = runOf(draft);
  for (const [key, record] of terminationsIn(draft)) {
    if (key === ownKey && (run.stop !== undefined || run.status === 'completed')) beginTermination({ draft, at }, own);
    else
      draft.set(key, {
        ...record,
        startedAt: record.startedAt + at - endedAt,
        pausedMs: record.pausedMs + ongoingPauseMs(run, record, endedAt),
      });
  }
}

/**
 * Updates the terminations of a run that starts with the history of another run: they continue at the time `at` with the times
 * that they had counted. The run's own is reset when that history ends with a stop.
 */
export function continueTerminations(draft: Draft, at: number, elapsed: readonly ElapsedTime[] = []): void {
  const isStopped = runOf(draft).stop !== undefined;
  const times = new Map(elapsed.map((time) => [`termination/${time.scope}/${time.name}`, time]));
  for (const [key, record] of terminationsIn(draft)) {
    const { elapsedMs, pausedMs } = times.get(key) ?? { elapsedMs: 0, pausedMs: 0 };
    if (key === ownKey && isStopped) beginTermination({ draft, at }, own);
    else draft.set(key, { ...record, startedAt: at - elapsedMs, pausedMs });
  }
}

/** Returns the times that the terminations of a run have counted at the time `at`, with the pause that it is in. */
export const elapsedTimes = (state: StateView, at: number): readonly ElapsedTime[] =>
  [...terminationsIn(state)].map(([key, record]) => {
    const [, scope = '', name = ''] = /^termination\/(s\d+)\/(.*)$/s.exec(key) ?? [];
    return {
      scope: scope as ElapsedTime['scope'], // the key's form
      name,
      elapsedMs: Math.max(0, at - record.startedAt),
      pausedMs: record.pausedMs + ongoingPauseMs(runOf(state), record, at),
    };
  });

/** The termination of the run as a whole. */
const own: ScopeRef = { scope: rootScope, name: '' };
const ownKey = `termination/${rootScope}/`;

function* terminationsIn(state: StateView): Iterable<readonly [`termination/s${number}/${string}`, TerminationRecord]> {
  for (const name of [...state.keys('termination/')]) {
    const key = name as `termination/s${number}/${string}`; // keys() returns keys with this prefix
    const record = state.get(key);
    if (record !== undefined) yield [key, record];
  }
}
