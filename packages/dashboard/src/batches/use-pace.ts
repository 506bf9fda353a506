import type { Batch } from '@millrace/client';
import { useServerNow } from '../kit/values/use-now.ts';
import type { Pace, Sample } from './batch-progress.ts';
import { paceMs, paceOf, rowCountsOf } from './batch-progress.ts';

/** Recent progress of batches, as this page has observed it. */
const seen = new Map<string, readonly Sample[]>();

/** Returns the pace of a batch; undefined while no row has ended. */
export function usePace(batch: Batch): Pace | undefined {
  const now = useServerNow();
  const { done, failed, cancelled } = rowCountsOf(batch);
  const ended = done + failed + cancelled - (batch.rows['invalid'] ?? 0);
  const samples = (seen.get(batch.id) ?? []).filter(({ at }) => at >= now - paceMs);
  // Rows that are retried have ended no more.
  const kept = samples.some((sample) => sample.ended > ended) ? [] : samples;
  if (kept.at(-1)?.at !== now) seen.set(batch.id, [...kept, { at: now, ended }]);
  return paceOf(batch, kept, now);
}
