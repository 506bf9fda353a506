import type { Amount, Decision, Event, Origin, RunRecord, StateView } from '@millrace/core';
import { addModelCall, durationBucket, isEnded, noModelUsage, usageFields, zeroAmount } from '@millrace/core';
import { ownEvents } from './outbox-entries.ts';
import type { Commit } from './port.ts';
import type { UsageCount } from './usage.ts';
import { dayMs, dayOf, usageDays, usageField } from './usage.ts';

/**
 * Returns what a commit adds to the usage by day. The history of a fork has been counted for the original run, and the steps
 * of a replay have no usage. A run counts once, where it ended last: an end that is undone by a retry is subtracted. How long
 * it took, without the time between an end and a retry or a fork, counts when it has completed and is no replay, which repeats
 * results without waiting for them. Of a temporary run, only the calls that may have cost money count.
 */
export function usageCounts(
  { state }: { readonly state: Pick<StateView, 'get'> },
  { events, writes }: Decision,
  at: number,
): Commit['usage'] {
  const lost = lostIn({ state }, { events, writes });
  if (lost.length === 0 && !events.some(isCounted)) return undefined;
  const origin = state.get('origin') ?? writtenRecord<Origin>(writes, 'origin');
  const counts = new Counts(origin?.workflow ?? '', dayOf(at));
  for (const calls of lost) counts.addLost(calls);
  if (origin?.expiresAt === undefined) {
    const before = state.get('run');
    const after = writtenRecord<RunRecord>(writes, 'run') ?? before ?? {};
    const took = ({ startedAt, stoodStillMs = 0, stoodStillBeforeForkMs = 0 }: Partial<RunRecord>, end: number) =>
      startedAt === undefined || origin?.replay !== undefined
        ? undefined
        : end - startedAt - (stoodStillMs - stoodStillBeforeForkMs);
    countRun(counts, { events, end: endOf(before, took), at, tookMs: took(after, at) });
  } else countPaidCalls(counts, events);
  const { list } = counts;
  return list.length === 0 ? undefined : list;
}

/** Returns the record that a commit writes under a key; T is the record of that key. */
const writtenRecord = <T>(writes: Decision['writes'], wanted: 'origin' | 'run'): T | undefined =>
  (writes.find(({ key }) => key === wanted) as { value: T } | undefined)?.value;

function countPaidCalls(counts: Counts, events: Decision['events']): void {
  for (const event of ownEvents(events)) if (event.type === 'step.completed' && isPaid(event)) counts.addCall(event);
}

/**
 * Returns what a commit adds to the lost part of the budget, by model: calls that were reserved, and whose outcome will never be
 * known. Those of the history of a fork were lost in the original run.
 */
function lostIn(
  { state }: { readonly state: Pick<StateView, 'get'> },
  { events, writes }: Pick<Decision, 'events' | 'writes'>,
): readonly LostCalls[] {
  const lost: LostCalls[] = [];
  for (const write of writes) {
    if (write.type !== 'set' || !write.key.startsWith(lostPrefix)) continue;
    const key = write.key as `lost/${string}`; // begins so
    const { tokens, microUsd } = write.value as Amount; // the record under this key
    const before = state.get(key) ?? zeroAmount;
    const amount = { tokens: tokens - before.tokens, microUsd: microUsd - before.microUsd };
    lost.push({ model: key.slice(lostPrefix.length), amount });
  }
  return lost.length === 0 || events.some(({ type }) => type === 'run.forked') ? [] : lost;
}

const lostPrefix = 'lost/';

interface LostCalls {
  readonly model: string;
  readonly amount: Amount;
}

/** Tests if a call may have cost money: its cost is not zero. */
const isPaid = ({ usage }: Extract<Event, { type: 'step.completed' }>): boolean => usage?.microUsd !== 0;

interface CountedRun {
  readonly events: Decision['events'];
  /** End of the run before the events. */
  readonly end: End | undefined;
  readonly at: number;
  /** Time that the run has taken when it ends with these events, if that counts. */
  readonly tookMs: number | undefined;
}

function countRun(counts: Counts, { events, at, tookMs, ...before }: CountedRun): void {
  let { end } = before;
  for (const event of ownEvents(events)) {
    if (event.type === 'step.completed') counts.addCall(event);
    if (event.type === 'run.resumed' && end !== undefined) {
      if (at - end.at < usageDays * dayMs) counts.addEnd(end, -1);
      end = undefined;
    }
    if (event.type === 'run.finished') {
      end = { at, status: event.status, stop: event.stop?.code, tookMs };
      counts.addEnd(end, 1);
    }
  }
}

const isCounted = (event: Event): boolean =>
  (event.type === 'step.completed' && event.usage !== undefined) ||
  event.type === 'run.finished' ||
  event.type === 'run.resumed';

interface End {
  readonly at: number;
  readonly status: 'completed' | 'failed' | 'cancelled' | 'terminated';
  readonly stop: string | undefined;
  readonly tookMs: number | undefined;
}

/** Returns the end of a run that has ended. */
function endOf(run: RunRecord | undefined, took: (run: RunRecord, end: number) => number | undefined): End | undefined {
  if (run?.finishedAt === undefined || !isEnded(run.status)) return undefined;
  return { at: run.finishedAt, status: run.status, stop: run.stop?.code, tookMs: took(run, run.finishedAt) };
}

/** Changes of numbers, one for each number. */
class Counts {
  readonly #workflow: string;
  readonly #today: string;
  readonly #changes = new Map<string, { day: string; field: string; by: number }>();

  constructor(workflow: string, today: string) {
    this.#workflow = workflow;
    this.#today = today;
  }

  get list(): readonly UsageCount[] {
    return [...this.#changes.values()].filter(({ by }) => by !== 0);
  }

  addCall({ usage, model = '' }: Extract<Event, { type: 'step.completed' }>): void {
    if (usage === undefined) return;
    const numbers = addModelCall(noModelUsage, usage);
    for (const measure of usageFields) {
      const by = numbers[measure];
      if (by !== undefined && by !== 0) this.#add(this.#today, usageField(this.#workflow, model, measure), by);
    }
  }

  addLost({ model, amount }: LostCalls): void {
    this.#add(this.#today, usageField(this.#workflow, model, 'lostTokens'), amount.tokens);
    this.#add(this.#today, usageField(this.#workflow, model, 'lostMicroUsd'), amount.microUsd);
  }

  addEnd({ at, status, stop, tookMs }: End, by: 1 | -1): void {
    this.#add(dayOf(at), usageField(this.#workflow, '', status), by);
    if (status === 'completed' && tookMs !== undefined)
      this.#add(dayOf(at), usageField(this.#workflow, '', `took${durationBucket(tookMs)}`), by);
    if (stop === 'budget') this.#add(dayOf(at), usageField(this.#workflow, '', 'budgetStopped'), by);
  }

  #add(day: string, field: string, by: number): void {
    const place = `${day} ${field}`;
    this.#changes.set(place, { day, field, by: (this.#changes.get(place)?.by ?? 0) + by });
  }
}
