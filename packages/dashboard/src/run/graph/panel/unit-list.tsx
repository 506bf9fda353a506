import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { millrace } from '../../../api/millrace.ts';
import { formatCount, formatDuration, oneLine } from '../../../kit/values/format.ts';
import { Status } from '../../../kit/values/status.tsx';
import { useGraphSearch } from '../../follow/use-graph-search.ts';
import type { NodeActivation } from './node-activations.ts';
import classes from './node-panel.module.css';

/** Units of one page. */
const pageSize = 50;

interface UnitListProps {
  readonly run: string;
  readonly activations: readonly NodeActivation[];
}

/** The units of a fan-out, page by page; optionally only the failed ones. */
export function UnitList({ run, activations }: UnitListProps) {
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
        {page.map(({ id, unit, input, state, readyAt, settledAt }) => (
          <li key={id}>
            <button type="button" className={classes['unit']} aria-pressed={a === id} onClick={() => move({ a: id })}>
              <span>unit {(unit ?? 0) + 1}</span>
              {input === undefined ? <span /> : <UnitHead run={run} message={input} />}
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

/** Bytes of an input that a row loads. */
const headBytes = 160;

interface UnitHeadProps {
  readonly run: string;
  readonly message: string;
}

/** Beginning of the input of a unit, which is loaded when its row comes into view. */
function UnitHead({ run, message }: UnitHeadProps) {
  const place = useRef<HTMLSpanElement>(null);
  const [isSeen, see] = useState(false);
  useEffect(() => {
    if (place.current === null) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) see(true);
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  const { data } = useQuery({
    queryKey: ['run', run, 'message', message, 'unit head'],
    queryFn: ({ signal }) => millrace.runs.get(run).textStart(message, headBytes, { signal }),
    staleTime: 'static',
    enabled: isSeen,
  });
  return (
    <span ref={place} dir="auto" className="cut muted small" title={data}>
      {data === undefined ? '' : oneLine(data)}
    </span>
  );
}
