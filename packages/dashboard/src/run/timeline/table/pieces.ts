import type { Activation } from '@millrace/client';
import type { Span, TimelineRow } from '../timeline-row.ts';
import { endOf } from '../timeline-row.ts';

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
  const times: readonly (readonly [Piece['kind'], number, number])[] = [
    ['queue', readyAt, started],
    ...(isQueued ? [] : ([['work', started, asked ?? end]] as const)),
    ...(asked === undefined ? [] : ([['wait', asked, settledAt ?? now]] as const)),
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
