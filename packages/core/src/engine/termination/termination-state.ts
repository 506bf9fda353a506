import type { Event } from '../event.ts';
import type { Fold } from '../fold.ts';
import { runOf } from '../lookup.ts';
import type { TerminationRecord } from '../records.ts';
import type { Draft } from '../state.ts';
import type { ScopeName } from '../stop.ts';
import type { FramePlace } from './around.ts';
import { hasTerminations, terminationsOf } from './around.ts';

type TerminationEvent = Extract<Event, { type: 'scope.entered' | 'scope.left' | 'termination.moved' }>;

/** Folds what happens to a termination while its scope goes on. */
export function evolveTermination(fold: Fold, event: TerminationEvent): void {
  const { draft } = fold;
  const key = `termination/${event.scope}/${event.name}` as const;
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
      const record = draft.get(key);
      if (record !== undefined) draft.set(key, { ...record, cells: { ...record.cells, ...event.cells } });
    }
  }
}

/** A scope that can stop begins. */
export function beginTermination({ draft, at }: Fold, { scope, name }: ScopeName): void {
  const since = runOf(draft).nextMessage;
  draft.set(`termination/${scope}/${name}`, { startedAt: at, pausedMs: 0, cells: {}, open: 0, since });
}

/** A scope that can stop is through. */
export function endTermination(draft: Draft, { scope, name }: ScopeName): void {
  const { entered, halting, ...run } = runOf(draft);
  const others = (names: readonly ScopeName[] = []) => names.filter((one) => one.scope !== scope || one.name !== name);
  const left = others(entered);
  const halts = others(halting);
  draft.set('run', {
    ...run,
    ...(left.length === 0 ? {} : { entered: left }),
    ...(halts.length === 0 ? {} : { halting: halts }),
  });
  draft.delete(`termination/${scope}/${name}`);
}

/** Named scopes know how many of their nodes are at work. */
export function countOpen({ plan, draft }: Pick<Fold, 'plan' | 'draft'>, place: FramePlace, by: 1 | -1): void {
  if (!hasTerminations(plan) || place.graph.scopes.length === 0) return;
  for (const [name] of terminationsOf(place.graph, place.node)) {
    const key = `termination/${place.frame}/${name}` as const;
    const record = draft.get(key);
    if (name !== '' && record !== undefined) draft.set(key, { ...record, open: record.open + by });
  }
}

/**
 * Terminations after their run has stood still for so many milliseconds. The run's own begins anew when the run was
 * stopped; all others go on from where they were. The time of a pause is told apart from the time after an end.
 */
export function resumeTerminations(
  draft: Draft,
  { at, stoodStill, paused }: { readonly at: number; readonly stoodStill: number; readonly paused: boolean },
): void {
  const { stop, nextMessage } = runOf(draft);
  for (const key of [...draft.keys('termination/')]) {
    const name = key as `termination/s${number}/${string}`; // the prefix asked for
    const record = draft.get(name);
    if (record === undefined) continue;
    if (name === 'termination/s0/' && stop !== undefined)
      draft.set(name, { startedAt: at, pausedMs: 0, cells: {}, open: 0, since: nextMessage });
    else
      draft.set(name, paused ? pausedFor(record, stoodStill) : { ...record, startedAt: record.startedAt + stoodStill });
  }
}

const pausedFor = (record: TerminationRecord, ms: number): TerminationRecord => ({
  ...record,
  pausedMs: record.pausedMs + ms,
});
