import type { Batch } from '@millrace/client';
import { formatCount } from '../kit/values/format.ts';
import { rowCountsOf } from './batch-progress.ts';
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
    <span className={classes['rows']}>
      <span className={classes['bar']} aria-hidden>
        {shown.map(([part]) => (
          <span key={part} className={classes[part]} style={{ flexGrow: counts[part] }} />
        ))}
      </span>
      <span className={classes['numbers']}>
        {shown.map(([part, words]) => (
          <span key={part}>
            <i className={classes[part]} aria-hidden />
            {formatCount(counts[part])} {words}
          </span>
        ))}
        <span>of {formatCount(batch.total)}</span>
      </span>
    </span>
  );
}
