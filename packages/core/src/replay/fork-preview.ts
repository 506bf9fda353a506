import type { Event, JournalEntry } from '../engine/records/event.ts';
import type { ActivationId } from '../model/ids.ts';
import type { ModelUsage } from '../model/usage/usage.ts';
import { addModelCall, noModelUsage, subtractUsage } from '../model/usage/usage.ts';
import type { RunProjection } from '../projection/run-projection.ts';
import type { ModelSettings } from '../workflow/document/with-node-config.ts';

/** History that a fork would share with its original run, and work that it would repeat. */
export interface ForkPreview {
  /** Number of activations that are settled in the shared history; none of them is executed again. */
  readonly kept: number;
  /** Activations that had begun, or were due, at that time, with the one at which the run is forked; they continue in the fork. */
  readonly live: readonly ActivationId[];
  /** Number of activations that became due afterwards in the original run; the fork decides again which follow. */
  readonly following: number;
  /** Usage of the shared history without the calls of the activation itself: part of the usage of the fork, and not paid again. */
  readonly inherited: ModelUsage;
  /** Usage of the calls of the activation itself, part of the usage of the fork, too: they are made again unless it has an output. */
  readonly own: ModelUsage;
  /** Usage of the original run after the history: an estimate of what the fork pays for what follows. */
  readonly after: ModelUsage;
  /** Settings of the node, which a fork may change; absent: the node asks no model. */
  readonly settings?: ModelSettings;
}

/** A run before an activation was settled, and as it is now. */
export interface ForkPoint {
  readonly before: Pick<RunProjection, 'activations' | 'live' | 'usage'>;
  readonly now: Pick<RunProjection, 'activations' | 'usage'>;
  /** Entries of the activation before it was settled. */
  readonly own: readonly JournalEntry[];
}

/** Returns the history that a fork would take over, from the recorded calls of a run. */
export function forkPreviewOf({ before, now, own: entries }: ForkPoint): ForkPreview {
  const own = usageIn(entries);
  return {
    kept: before.activations - before.live.size,
    // Activations are the keys of what is live.
    live: [...before.live.keys()] as ActivationId[],
    following: now.activations - before.activations,
    inherited: subtractUsage(before.usage, own),
    own,
    after: subtractUsage(now.usage, before.usage),
  };
}

/** Returns the usage of the calls that entries report. */
function usageIn(entries: readonly JournalEntry[]): ModelUsage {
  let sum = noModelUsage;
  for (const { event } of entries)
    if (event.type === 'step.completed' && event.usage !== undefined) sum = addModelCall(sum, event.usage);
  return sum;
}

/**
 * Returns the ids of the entries of an activation before it was settled that a fork does not share: of one that waits for an event from
 * outside, those with the event that it was given. It waits again, and finds the event.
 */
export function givenEvents(own: readonly JournalEntry[], activation: ActivationId): ReadonlySet<string> {
  const waits = own.findLast(({ event }) => isOf(event, activation, ['activation.suspended']))?.event;
  if (waits?.type !== 'activation.suspended' || waits.wait.kind !== 'event') return new Set();
  // The answer that its time is over has a body.
  const given = own.filter(
    ({ event }) => isOf(event, activation, ['activation.answered']) && event.bodies === undefined,
  );
  return new Set(given.map(({ id }) => id));
}

/**
 * Returns the index of the first entry with which an activation was finally settled, in a journal or among the entries of the
 * activation; their number if it was not settled.
 */
export function settlementOf(journal: readonly JournalEntry[], activation: ActivationId): number {
  const done = journal.findLastIndex(({ event }) =>
    isOf(event, activation, ['activation.completed', 'activation.opened']),
  );
  const at = done < 0 ? journal.findLastIndex(({ event }) => isOf(event, activation, ['activation.failed'])) : done;
  if (at < 0) return journal.length;
  const before = journal[at - 1];
  // Its file changes outside of steps are the event before.
  return before?.event.type === 'files.changed' &&
    before.event.activation === activation &&
    before.event.step === undefined
    ? at - 1
    : at;
}

const isOf = (event: Event, activation: ActivationId, types: readonly Event['type'][]): boolean =>
  types.includes(event.type) && 'activation' in event && event.activation === activation;
