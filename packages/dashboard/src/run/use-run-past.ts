import type { Run, RunGraphs } from '@millrace/client';
import { statusOf } from './fold/status-of.ts';
import { tokensOf } from './fold/usage.ts';
import { useGraphs } from './use-graphs.ts';
import { usePicture } from './use-picture.ts';

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
  const picture = usePicture(run, event);
  const { data, isPlaceholderData } = useGraphs(run, { isUnfolded: picture === undefined, at: event });
  if (picture === undefined) return data === undefined || isPlaceholderData ? undefined : servedPast(data);
  const { activations, usage, at, budget } = picture;
  const money = budget === undefined ? null : { ...budget };
  return {
    status: statusOf(picture),
    activations,
    tokens: tokensOf(usage),
    microUsd: usage.microUsd,
    budget: money,
    at,
  };
}

/** Returns a run from the server's response. */
const servedPast = ({ status, activations, usage, budget = null, at }: RunGraphs): RunPast => ({
  status,
  activations,
  tokens: tokensOf(usage),
  microUsd: usage.microUsd,
  budget,
  at,
});
