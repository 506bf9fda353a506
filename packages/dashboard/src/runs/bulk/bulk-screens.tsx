import type { BulkAction } from '@millrace/client';
import { Link, useParams } from '@tanstack/react-router';
import { Screen } from '../../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import cards from '../../kit/tables/cards.module.css';
import { formatCount, formatCounted, formatMoment } from '../../kit/values/format.ts';
import { Status } from '../../kit/values/status.tsx';
import { Age, Duration } from '../../kit/values/time.tsx';
import { bulkLabels, useBulkAction, useBulkActions } from './bulk-actions.ts';
import classes from './bulk-screens.module.css';

/** Progress of a bulk action. */
export function BulkScreen() {
  const { bulk } = useParams({ from: '/bulk/$bulk' });
  const { data, error, refetch } = useBulkAction(bulk);
  const verb = data === undefined ? 'Bulk' : bulkLabels[data.action].verb;
  return (
    <Screen
      title={verb === 'Bulk' ? 'Bulk action' : `Bulk ${verb.toLowerCase()}`}
      actions={
        <Link to="/bulk" className="button">
          All bulk actions
        </Link>
      }
    >
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={3} />}
      {data !== undefined && (
        <dl className={`${classes['facts']} facts panel`} aria-live="polite">
          <dt>Id</dt>
          <dd>
            <code>{data.id}</code>, given <Age at={data.createdAt} />
          </dd>
          <dt>For</dt>
          <dd>
            <BulkSubject bulk={data} />
            {data.reason !== undefined && <>, because: {data.reason}</>}
          </dd>
          <dt>State</dt>
          <dd>
            <Status of={data.status} /> <Duration from={data.createdAt} to={data.finishedAt} />
          </dd>
          <dt>Progress</dt>
          <dd>
            <BulkProgressBar bulk={data} />
          </dd>
          <dt>{bulkLabels[data.action].past}</dt>
          <dd>{formatCounted(data.done, 'run')}</dd>
          <dt>Left as they were</dt>
          <dd>
            {formatCounted(data.left, 'run')}
            {data.left > 0 && ', ended meanwhile'}
          </dd>
        </dl>
      )}
    </Screen>
  );
}

/** The bulk actions of the last week, newest first. */
export function BulkListScreen() {
  const { data, error, hasNextPage, fetchNextPage, refetch } = useBulkActions();
  const bulkActions = data?.pages.flatMap((page) => page.data);
  return (
    <Screen title="Bulk actions">
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {bulkActions === undefined && error === null && <Skeleton rows={4} rowHeight={52} />}
      {bulkActions?.length === 0 && (
        <Empty title="No bulk action in the last week.">
          <p>Select runs in their list to cancel or retry them together.</p>
          <code>millrace bulk retry --workflow NAME --since 24h</code>
          <Link to="/runs" className="button">
            Go to the runs
          </Link>
        </Empty>
      )}
      {bulkActions !== undefined && bulkActions.length > 0 && (
        <ul className="spaced panel" aria-label="Bulk actions">
          {bulkActions.map((bulk) => (
            <li key={bulk.id} className={`${cards['card']} stack`}>
              <span className={`${cards['main']} stack`}>
                <Link to="/bulk/$bulk" params={{ bulk: bulk.id }} className={`${cards['link']} strong`}>
                  {bulkLabels[bulk.action].verb}
                </Link>
                <small className={cards['above']}>
                  <BulkSubject bulk={bulk} />
                </small>
              </span>
              <BulkProgressBar bulk={bulk} />
              <Status of={bulk.status} />
              <span className={`${cards['main']} stack muted`}>
                <Age at={bulk.createdAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <button type="button" className="button" onClick={() => void fetchNextPage()}>
          Load more
        </button>
      )}
    </Screen>
  );
}

/** Progress of a bulk action whose number of runs is known. */
function BulkProgressBar({ bulk: { done, left, total, status } }: { readonly bulk: BulkAction }) {
  const processed = done + left;
  const most = status === 'finished' ? processed : total;
  return (
    <span>
      {most !== undefined && most > 0 && (
        <progress max={most} value={Math.min(processed, most)} aria-label="Progress" />
      )}{' '}
      {formatCount(processed)}{' '}
      {total === undefined ? 'so far' : `of ${formatCounted(Math.max(total, processed), 'run')}`}
    </span>
  );
}

/** The runs that a bulk action is for. */
function BulkSubject({ bulk: { filter, total } }: { readonly bulk: BulkAction }) {
  if (filter === undefined) return <>{formatCounted(total ?? 0, 'run')} by id</>;
  const { status, workflow, tag, since, until } = filter;
  const parts = [
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
      {parts.join(' ')}
    </Link>
  );
}
