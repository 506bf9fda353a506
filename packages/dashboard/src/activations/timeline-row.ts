import { stateAtEnd } from './has-ended.ts';

/** State of an activation as the timeline draws it. */
export type RowState = 'ready' | 'working' | 'waiting' | 'opened' | 'completed' | 'failed' | 'dropped' | 'cancelled';

/** One activation of a timeline; times are milliseconds since 1970. */
export interface TimelineRow {
  readonly id: string;
  readonly node: string;
  /** Key of its graph; empty for the root graph. */
  readonly graph: string;
  readonly state: RowState;
  readonly readyAt: number;
  readonly startedAt?: number | undefined;
  readonly settledAt?: number | undefined;
  /** Number of its unit in a fan-out, from 0. */
  readonly unit?: number | undefined;
  /** Turn of the loop around it, from 1. */
  readonly turn?: number | undefined;
  readonly microUsd?: number | undefined;
  /** First characters of its last output, where they were loaded. */
  readonly head?: string | undefined;
  /** Digest of its outputs, where it was loaded: the same for equal outputs of all runs, empty without outputs. */
  readonly digest?: string | undefined;
}

/** Returns a row of a run that has ended: what had not settled was cancelled at that time. */
export function rowAtEnd(row: TimelineRow, finishedAt: number): TimelineRow {
  const state = stateAtEnd(row.state);
  return state === row.state ? row : { ...row, state, settledAt: finishedAt };
}

/** Milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Returns the end of an activation, or the present time before its end. */
export const endOf = ({ settledAt }: TimelineRow, now: number): number => settledAt ?? now;

/** Returns the time that rows cover, up to `now` while one of them has not settled; undefined without rows. */
export function spanOf(rows: Iterable<TimelineRow>, now: number): Span | undefined {
  let from = Number.POSITIVE_INFINITY;
  let to = 0;
  for (const row of rows) {
    from = Math.min(from, row.readyAt);
    to = Math.max(to, endOf(row, now));
  }
  return from > to ? undefined : { from, to: Math.max(to, from + 1) };
}

/** Returns a row that began with its first call, when no worker has announced it before: workers announce only long work, some time after it began. */
export function begunWith(row: TimelineRow, calls: readonly { readonly startedAt: number }[] = []): TimelineRow {
  const [first] = calls;
  if (first === undefined || (row.startedAt ?? Number.POSITIVE_INFINITY) <= first.startedAt) return row;
  return { ...row, startedAt: first.startedAt };
}

/** Returns the time that an activation worked, queue time excluded; quick ones are not announced and count as a whole. */
export const workedMs = (row: TimelineRow, now: number): number => endOf(row, now) - (row.startedAt ?? row.readyAt);
