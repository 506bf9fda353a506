import type { Batch } from '@millrace/client';
import { formatCount, formatCounted, formatDuration, formatMoment } from '../kit/values/format.ts';
import { useServerNow } from '../kit/values/time.tsx';
import type { Pace, Sample } from './batch-progress.ts';
import { paceLabel, paceMs, paceOf, rowCountsOf } from './batch-progress.ts';
import classes from './rows-bar.module.css';

const parts = [
  ['done', 'done'],
  ['failed', 'failed'],
  ['cancelled', 'cancelled'],
  ['running', 'running'],
  ['left', 'left'],
] as const;

/** Statuses of the rows of a batch, as one bar with numbers. */
export function RowsBar({ batch }: { readonly batch: Pick<Batch, 'rows' | 'total'> }) {
  const counts = rowCountsOf(batch);
  const shown = parts.filter(([part]) => counts[part] > 0);
  return (
    <span className={`${classes['rows']} stack`}>
      <span className={`${classes['bar']} meter`} aria-hidden>
        {shown.map(([part]) => (
          <span key={part} className={classes[part]} style={{ flexGrow: counts[part] }} />
        ))}
      </span>
      <span className={`${classes['numbers']} row wrap muted small`}>
        {shown.map(([part, label]) => (
          <span key={part}>
            <i className={classes[part]} aria-hidden />
            {formatCount(counts[part])} {label}
          </span>
        ))}
        <span>of {formatCounted(batch.total, 'row')}</span>
      </span>
    </span>
  );
}

/** Pace of a batch, and its expected end. */
export function PaceNote({ batch }: { readonly batch: Batch }) {
  const pace = usePace(batch);
  const now = useServerNow();
  if (pace === undefined) return null;
  const { endsAt } = pace;
  return (
    <span>
      {paceLabel(pace)}
      {endsAt !== undefined && (
        <span title={`Expected end: ${formatMoment(endsAt)}`}>
          , ends in about {formatDuration(Math.max(1_000, endsAt - now))}
        </span>
      )}
    </span>
  );
}

/** Recent progress of batches, as this page has observed it. */
const seen = new Map<string, readonly Sample[]>();

/** Returns the pace of a batch; undefined while no row has ended. */
function usePace(batch: Batch): Pace | undefined {
  const now = useServerNow();
  const { done, failed, cancelled } = rowCountsOf(batch);
  const ended = done + failed + cancelled - (batch.rows['invalid'] ?? 0);
  const samples = (seen.get(batch.id) ?? []).filter(({ at }) => at >= now - paceMs);
  // Rows that are retried have ended no more.
  const kept = samples.some((sample) => sample.ended > ended) ? [] : samples;
  if (kept.at(-1)?.at !== now) seen.set(batch.id, [...kept, { at: now, ended }]);
  return paceOf(batch, kept, now);
}
