import type { OperationOutput, RunHandle } from '@millrace/client';
import { oneLine } from '../kit/values/format.ts';
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
  /** Iteration of the loop around it, from 1. */
  readonly iteration?: number | undefined;
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

/** Characters of an output that lists come with. */
const headLength = 40;

/** Returns the first words of an output as a line, with an ellipsis if there are more. */
export const headLabel = (head: string): string => `${oneLine(head)}${head.length < headLength ? '' : '…'}`;

/** Returns the rows of the columns of a timeline. */
export function rowsOf(timeline: OperationOutput<'runs.timeline'>): readonly TimelineRow[] {
  const { firstAt, nodes, states, id, node, state, ready, started, settled, unit, iteration, microUsd, head, digest } =
    timeline;
  return id.map((number, at) => {
    const readyAt = firstAt + (ready[at] ?? 0);
    const place = nodes[node[at] ?? -1] ?? { graph: '', node: '' };
    return {
      id: `a${number}`,
      ...place,
      state: states[state[at] ?? -1] ?? 'ready',
      readyAt,
      startedAt: unless(started[at], (ms) => readyAt + ms),
      settledAt: unless(settled[at], (ms) => readyAt + ms),
      unit: unless(unit[at], same),
      iteration: unless(iteration[at], same),
      microUsd: microUsd[at],
      head: head[at],
      digest: digest[at],
    };
  });
}

const same = (value: number): number => value;

/** Columns have -1, or nothing at all, where an activation has no value. */
const unless = (value: number | undefined, then: (value: number) => number): number | undefined =>
  value === undefined || value < 0 ? undefined : then(value);

/** Numbers of activations in the first part of a run that is searched, and in the longest one. */
const firstPart = 50;
const longestPart = 10_000;

/** Part of a search backwards: its last activation, and how many it reads. */
export interface PartBefore {
  /** Number of the last activation. */
  readonly end: number;
  readonly size: number;
}

/** Returns the part with which a search begins: the one that ends with an activation. */
export const firstPartBefore = (activation: string): PartBefore => ({
  end: Number(activation.slice(1)),
  size: firstPart,
});

/** Returns the part before another one; parts grow, so that the cost depends on how far back is searched. Undefined: there is none. */
export function partBefore({ end, size }: PartBefore): PartBefore | undefined {
  const before = end - size;
  return before <= 0 ? undefined : { end: before, size: Math.min(size * 4, longestPart) };
}

/** Loads the activations of a part, in their order. */
export async function loadRows(
  run: RunHandle,
  { end, size }: PartBefore,
  signal?: AbortSignal,
): Promise<readonly TimelineRow[]> {
  const after = Math.max(0, end - size);
  return rowsOf(await run.timeline({ after: `a${after}`, limit: end - after }, { signal }));
}
