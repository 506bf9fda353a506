import type { BulkOrder } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { formatCount, formatMoment } from '../../kit/values/format.ts';

/** Progress of an order whose number of runs is known. */
export function OrderBar({ order: { done, left, total, status } }: { readonly order: BulkOrder }) {
  const processed = done + left;
  const most = status === 'finished' ? processed : total;
  return (
    <span>
      {most !== undefined && most > 0 && (
        <progress max={most} value={Math.min(processed, most)} aria-label="Progress" />
      )}{' '}
      {formatCount(processed)} {total === undefined ? 'so far' : `of ${formatCount(Math.max(total, processed))}`}
    </span>
  );
}

/** The runs that an order was given for. */
export function OrderSubject({ order: { filter, total } }: { readonly order: BulkOrder }) {
  if (filter === undefined) return <>{formatCount(total ?? 0)} runs by their ids</>;
  const { status, workflow, tag, since, until } = filter;
  const words = [
    status ?? 'all',
    'runs',
    ...(workflow === undefined ? [] : [`of ${workflow}`]),
    ...(tag === undefined ? [] : [`with the tag ${tag}`]),
    ...(since === undefined ? [] : [`since ${formatMoment(since)}`]),
    ...(until === undefined ? [] : [`started before ${formatMoment(until)}`]),
  ];
  const search = {
    ...(workflow === undefined ? {} : { workflow }),
    ...(tag === undefined ? {} : { tag }),
  };
  return (
    <Link to="/runs" search={search}>
      {words.join(' ')}
    </Link>
  );
}
