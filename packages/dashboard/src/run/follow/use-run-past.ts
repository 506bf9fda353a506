import type { Run, RunGraphs } from '@millrace/client';
import { displayedStatus } from '@millrace/core/projection';
import { tokensOf } from '@millrace/core/usage';
import { useGraphs } from './use-graphs.ts';
import { useProjection } from './use-projection.ts';

/** A run after one of its events. */
export interface RunPast {
  readonly status: Run['status'];
  readonly activations: number;
  readonly tokens: number;
  readonly microUsd: number | undefined;
  readonly budget: Run['budget'];
  /** Time of the event, in milliseconds since 1970. */
  readonly at: number;
}

/** Returns a run after an event; undefined until that is known. */
export function useRunPast(run: string, event: string): RunPast | undefined {
  const projection = useProjection(run, event);
  const { data, isPlaceholderData } = useGraphs(run, { isUnfolded: projection === undefined, at: event });
  if (projection !== undefined) return shownPast({ ...projection, status: displayedStatus(projection) });
  return data === undefined || isPlaceholderData ? undefined : shownPast(data);
}

type PastSource = Pick<RunGraphs, 'status' | 'activations' | 'usage' | 'budget' | 'at'>;

const shownPast = ({ status, activations, usage, budget = null, at }: PastSource): RunPast => ({
  status,
  activations,
  tokens: tokensOf(usage),
  microUsd: usage.microUsd,
  budget,
  at,
});
