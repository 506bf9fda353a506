import type { Run, RunGraphs } from '@millrace/client';
import type { Picture } from './fold/picture.ts';
import { useGraphs } from './use-graphs.ts';
import { usePicture } from './use-picture.ts';

/** A run as it stood after an event. */
export interface RunPast {
  readonly status: Run['status'];
  readonly activations: number;
  readonly tokens: number;
  readonly microUsd: number | undefined;
  readonly budget: Run['budget'];
  /** Time of the event, in milliseconds since 1970. */
  readonly at: number;
}

/** Returns a run as it stood after an event; undefined until that is known. */
export function useRunPast(run: Run, event: string): RunPast | undefined {
  const picture = usePicture(run.runId, event);
  const { data, isPlaceholderData } = useGraphs(run.runId, { isUnfolded: picture === undefined, at: event });
  if (picture === undefined) return data === undefined || isPlaceholderData ? undefined : servedPast(data);
  const { activations, tokens, microUsd, at, budget } = picture;
  const money = budget === undefined ? null : { ...budget };
  return { status: statusOf(picture), activations, tokens, microUsd, budget: money, at };
}

/** Returns a run as the server tells it, which says nothing of its budget in the past. */
const servedPast = ({ status, activations, usage, at }: RunGraphs): RunPast => ({
  status,
  activations,
  tokens: usage.promptTokens + usage.completionTokens,
  microUsd: usage.microUsd,
  budget: null,
  at,
});

/** Returns the status of a run for people: it waits when everything that is live waits for somebody outside. */
function statusOf({ status, live }: Picture): Run['status'] {
  if (status === 'failing') return 'running';
  if (status !== 'running') return status as Run['status']; // the other words are the same
  const unsettled = [...live.values()].filter(({ state }) => state !== 'failed');
  const isWaiting = unsettled.every(({ waitsFor }) => waitsFor !== undefined && waitsFor.type !== 'time');
  return unsettled.length > 0 && isWaiting ? 'waiting' : 'running';
}
