import type { Activation } from '@millrace/client';
import type { Span, TimelineRow } from '../../activations/timeline-row.ts';
import { endOf } from '../../activations/timeline-row.ts';
import { formatDuration } from '../../kit/values/format.ts';

/** One part of a bar; its ends are shares of the window, from 0 to 1. */
export interface Piece {
  readonly kind: 'queue' | 'work' | 'call' | 'wait' | 'retry';
  readonly from: number;
  readonly to: number;
}

/** Calls of a bar that are drawn; more would be one colour. */
const mostCalls = 24;

interface PiecesOptions {
  readonly window: Span;
  readonly now: number;
}

/**
 * Returns the parts of the bar of an activation that are within a window: its time in the queue, its work, its calls, the
 * time it waited for a person, and a notch for each attempt after the first.
 */
export function piecesOf(
  row: TimelineRow,
  details: Activation | undefined,
  { window, now }: PiecesOptions,
): readonly Piece[] {
  const { readyAt, startedAt, state, settledAt } = row;
  const end = endOf(row, now);
  const isQueued = state === 'ready' && startedAt === undefined;
  const started = startedAt ?? (isQueued ? end : readyAt);
  const asked = details?.askedAt ?? (state === 'waiting' ? started : undefined);
  const calls = details?.calls.slice(0, mostCalls) ?? [];
  const approvals = details?.approvals?.slice(0, mostCalls) ?? [];
  const times: readonly (readonly [Piece['kind'], number, number])[] = [
    ['queue', readyAt, started],
    // After a decision about a call, an activation is at work again: its waits lie on its work.
    ...(isQueued ? [] : ([['work', started, approvals.length > 0 ? end : (asked ?? end)]] as const)),
    ...(approvals.length > 0 || asked === undefined ? [] : ([['wait', asked, settledAt ?? now]] as const)),
    ...approvals.map(({ askedAt, decidedAt }) => ['wait', askedAt, decidedAt ?? end] as const),
    ...calls.map(({ startedAt: from, completedAt = end }) => ['call', from, completedAt] as const),
    // Each attempt but the first began with a call, or there is nothing to place it by.
    ...retriesOf(details).map((at) => ['retry', at, at] as const),
  ];
  const share = (at: number): number => Math.max(0, Math.min(1, (at - window.from) / (window.to - window.from)));
  return times
    .filter(([kind, from, to]) => to >= window.from && from <= window.to && (kind !== 'queue' || to > from))
    .map(([kind, from, to]) => ({ kind, from: share(from), to: share(to) }));
}

/** Returns the times at which calls had failed and the activation began again. */
function retriesOf(details: Activation | undefined): readonly number[] {
  if (details === undefined) return [];
  const failed = details.calls.filter(({ failed: hasFailed }) => hasFailed === true);
  return failed.flatMap(({ completedAt }) => (completedAt === undefined ? [] : [completedAt])).slice(0, mostCalls);
}

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000] as const;

/** Distances of marks, in milliseconds: numbers that people count in. */
const steps: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 5, 10, 20, 50, 100].map((count) => count * day),
];

/** A mark on the scale of a timeline. */
interface ScaleMark {
  /** Place in the window, from 0 to 1. */
  readonly at: number;
  /** Time since the run began, in words. */
  readonly text: string;
}

const mostMarks = 6;
/** Part of the window behind which the words of a mark have no room. */
const lastAt = 0.92;

/** Returns the marks of a window at round times since the run began. */
export function scaleMarks({ from, to }: Span, start: number): readonly ScaleMark[] {
  const length = Math.max(1, to - from);
  const step = steps.find((one) => length / one <= mostMarks) ?? Math.ceil(length / mostMarks / day) * day;
  const marks: ScaleMark[] = [];
  for (let time = Math.max(0, Math.ceil((from - start) / step) * step); start + time <= to; time += step) {
    const at = (start + time - from) / length;
    if (at <= lastAt) marks.push({ at, text: textOf(time, step) });
  }
  return marks;
}

/** Returns a time with as many digits as distinguish it from its neighbours. */
function textOf(time: number, step: number): string {
  if (step >= second || time < second) return formatDuration(time);
  return `${(time / second).toFixed(step >= 100 ? 1 : step >= 10 ? 2 : 3)} s`;
}
