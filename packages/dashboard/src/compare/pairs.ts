import type { TimelineRow } from '../activations/timeline-row.ts';

/** Difference between the two activations of a pair. */
export type Verdict = 'same' | 'changed' | 'only A' | 'only B';

/** The activations of two runs at one place: that of run A, that of run B, or both. */
export interface Pair {
  readonly a: TimelineRow | undefined;
  readonly b: TimelineRow | undefined;
  readonly verdict: Verdict;
  /** Both runs share it: it happened before one of them was forked. */
  readonly isCommon: boolean;
}

/** A run as far as pairs depend on it. */
export interface ComparedRun {
  readonly runId: string;
  readonly startedAt: number;
  readonly origin?: { readonly type: string; readonly of: string } | undefined;
}

/** A run with its activations, in the order in which they became ready. */
export interface ComparedSide {
  readonly run: ComparedRun;
  readonly rows: readonly TimelineRow[];
}

/**
 * Pairs the activations of two runs by their graph, node, iteration, unit, and the number of earlier activations there. The
 * order is that of both runs; an activation of A alone precedes the next pair.
 */
export function pairsOf(sideA: ComparedSide, sideB: ComparedSide): readonly Pair[] {
  const keysA = keysOf(sideA.rows);
  const keysB = keysOf(sideB.rows);
  const indexInA = new Map(keysA.map((key, at) => [key, at]));
  const inB = new Set(keysB);
  const pairs: Pair[] = [];
  let next = 0;
  const addLonelyA = (before: number) => {
    for (; next < before; next += 1) {
      const a = sideA.rows[next];
      if (a !== undefined && !inB.has(keysA[next] ?? ''))
        pairs.push({ a, b: undefined, verdict: 'only A', isCommon: false });
    }
  };
  sideB.rows.forEach((b, at) => {
    const indexA = indexInA.get(keysB[at] ?? '');
    const a = indexA === undefined ? undefined : sideA.rows[indexA];
    if (indexA === undefined || a === undefined) {
      pairs.push({ a: undefined, b, verdict: 'only B', isCommon: false });
      return;
    }
    addLonelyA(indexA);
    pairs.push({ a, b, verdict: isSame(a, b) ? 'same' : 'changed', isCommon: isCommon(a, b, [sideA.run, sideB.run]) });
  });
  addLonelyA(sideA.rows.length);
  return pairs;
}

/** Returns the place of each activation. */
function keysOf(rows: readonly TimelineRow[]): readonly string[] {
  const times = new Map<string, number>();
  return rows.map(({ graph, node, iteration = '', unit = '' }) => {
    const place = `${graph}\n${node}\n${iteration}\n${unit}`;
    const time = (times.get(place) ?? 0) + 1;
    times.set(place, time);
    return `${place}\n${time}`;
  });
}

const isSame = (a: TimelineRow, b: TimelineRow): boolean =>
  a.state === b.state && (a.digest ?? '') === (b.digest ?? '');

/** Tests if both runs share an activation: a fork has the history of its origin under the same ids. */
function isCommon(a: TimelineRow, b: TimelineRow, [runA, runB]: readonly [ComparedRun, ComparedRun]): boolean {
  if (a.id !== b.id) return false;
  const isOfA = runB.origin?.of === runA.runId && isInherited(b, runB);
  const isOfB = runA.origin?.of === runB.runId && isInherited(a, runA);
  const isOfBoth = runA.origin?.of === runB.origin?.of && isInherited(a, runA) && isInherited(b, runB);
  return isOfA || isOfB || isOfBoth;
}

/** Tests if a run has an activation from the run that it is a fork of: its history is complete at its start. */
const isInherited = ({ settledAt }: TimelineRow, { origin, startedAt }: ComparedRun): boolean =>
  origin?.type === 'fork' && settledAt !== undefined && settledAt <= startedAt;

/** Numbers of pairs by how they compare. */
export type Tally = Readonly<Record<Verdict, number>>;

/** Counts pairs by how they compare. */
export function tallyOf(pairs: readonly Pair[]): Tally {
  const tally = { same: 0, changed: 0, 'only A': 0, 'only B': 0 };
  for (const { verdict } of pairs) tally[verdict] += 1;
  return tally;
}
