import type { RunHandle } from '@millrace/client';
import { rowsOf } from './rows-of.ts';
import type { TimelineRow } from './timeline-row.ts';

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
