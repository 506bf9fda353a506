import { formatCount } from '../../../kit/values/format.ts';
import type { NodeView } from '../view/node-view.ts';
import classes from './node-line.module.css';

/** Units of a fan-out: the numbers of completed, failed and executing units, in words and as a strip. */
export function UnitStrip({ units }: { readonly units: NonNullable<NodeView['units']> }) {
  const { total, completed, failed, live } = units;
  const share = (part: number): string => `${(100 * part) / Math.max(1, total)}%`;
  return (
    <span className={classes['units']}>
      <span>
        {formatCount(completed)} of {formatCount(total)}
        {failed > 0 && <b className={classes['failedUnits']}> · {formatCount(failed)} failed</b>}
        {live > 0 && ` · ${formatCount(live)} working`}
      </span>
      <span className={classes['strip']} aria-hidden>
        <i data-part="completed" style={{ width: share(completed) }} />
        <i data-part="failed" style={{ width: share(failed) }} />
        <i data-part="live" style={{ width: share(live) }} />
      </span>
    </span>
  );
}
