import { useState } from 'react';
import { formatCount, formatDuration } from '../../../kit/values/format.ts';
import { Status } from '../../../kit/values/status.tsx';
import { useGraphSearch } from '../../follow/use-graph-search.ts';
import type { NodeActivation } from './node-activations.ts';
import classes from './node-panel.module.css';

/** Units of one page. */
const pageSize = 50;

/** The units of a fan-out, page by page; optionally only the failed ones. */
export function UnitList({ activations }: { readonly activations: readonly NodeActivation[] }) {
  const [{ unit: first = 0, a }, move] = useGraphSearch();
  const [isFailedOnly, setFailedOnly] = useState(false);
  const all = activations.filter(({ unit }) => unit !== undefined);
  const units = isFailedOnly ? all.filter(({ state }) => state === 'failed') : all;
  const from = Math.min(first, Math.max(0, units.length - 1));
  const start = from - (from % pageSize);
  const page = units.slice(start, start + pageSize);
  return (
    <section aria-label="Units">
      <h3>Units</h3>
      <p className={`${classes['pages']} row wrap muted small`}>
        <label>
          <input type="checkbox" checked={isFailedOnly} onChange={({ target }) => setFailedOnly(target.checked)} />{' '}
          failed only
        </label>
        <span className={classes['count']}>
          {units.length === 0
            ? 'none'
            : `${formatCount(start + 1)}–${formatCount(start + page.length)} of ${formatCount(units.length)}`}
        </span>
        <button
          type="button"
          className="button"
          disabled={start === 0}
          onClick={() => move({ unit: start - pageSize })}
        >
          Previous
        </button>
        <button
          type="button"
          className="button"
          disabled={start + pageSize >= units.length}
          onClick={() => move({ unit: start + pageSize })}
        >
          Next
        </button>
      </p>
      <ul className={classes['units']}>
        {page.map(({ id, unit, state, readyAt, settledAt }) => (
          <li key={id}>
            <button type="button" className={classes['unit']} aria-pressed={a === id} onClick={() => move({ a: id })}>
              <span>unit {(unit ?? 0) + 1}</span>
              <Status of={state === 'live' ? 'working' : state} />
              <span title="From ready to settled">
                {settledAt === undefined ? '' : formatDuration(settledAt - readyAt)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
