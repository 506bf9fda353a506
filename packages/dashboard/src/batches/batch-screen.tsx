import type { Batch } from '@millrace/client';
import { tokensOf } from '@millrace/core/usage';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { Facts, Screen, Toolbar } from '../kit/layout/screen.tsx';
import { useShortcut } from '../kit/shortcuts/shortcuts.ts';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Stale } from '../kit/states/notes.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { CopyableId } from '../kit/values/copyable-id.tsx';
import { formatCount, formatMoney } from '../kit/values/format.ts';
import { Status } from '../kit/values/status.tsx';
import { Age, Duration } from '../kit/values/time.tsx';
import { BatchActions } from './batch-actions.tsx';
import { RowTable } from './row-table.tsx';
import { PaceNote, RowsBar } from './rows-bar.tsx';
import type { BatchSearch } from './use-batches.ts';
import { parseBatchSearch, rowStatuses, useBatch } from './use-batches.ts';

/** One batch: its progress, its cost, its actions, and its rows. */
export function BatchScreen() {
  const { batch: id } = useParams({ from: '/batches/$batch' });
  const { data: batch, error, refetch, dataUpdatedAt } = useBatch(id);
  return (
    <Screen title={`Batch ${id}`} actions={batch === undefined ? null : <BatchActions batch={batch} />}>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {batch === undefined && error === null && <Skeleton rows={6} />}
      {batch !== undefined && (
        <>
          <Stale at={dataUpdatedAt} isStale={error !== null} />
          <Head batch={batch} />
          <Rows batch={batch} />
        </>
      )}
    </Screen>
  );
}

function Head({ batch }: { readonly batch: Batch }) {
  const { id, workflow, status, usage, parallel, createdAt, finishedAt } = batch;
  const tokens = tokensOf(usage);
  return (
    <>
      <Facts>
        <Status of={status} />
        <strong>{workflow ?? 'a workflow of its own'}</strong>
        <CopyableId id={id} />
        <span>{parallel} at a time</span>
        <span>
          created <Age at={createdAt} />
        </span>
        <Duration from={createdAt} to={finishedAt} />
        <Cost of={batch} />
        {tokens > 0 && <span>{formatCount(tokens)} tokens</span>}
        {(usage.unpriced ?? 0) > 0 && <span>{formatCount(usage.unpriced ?? 0)} calls without a price</span>}
        <PaceNote batch={batch} />
        <Link to="/runs" search={{ tag: `batch:${id}` }}>
          Runs of this batch
        </Link>
        {workflow !== null && (
          <Link to="/usage" search={{ workflow }}>
            Usage of {workflow}
          </Link>
        )}
      </Facts>
      <div className="spaced" aria-live="off">
        <RowsBar batch={batch} />
      </div>
    </>
  );
}

/** Cost of the rows, if any of them has called a model whose price is known. */
function Cost({ of: { usage, status } }: { readonly of: Batch }) {
  const { microUsd } = usage;
  if (microUsd === undefined) return null;
  return <span>{`${formatMoney(microUsd)}${status === 'finished' ? '' : ' so far'}`}</span>;
}

function Rows({ batch }: { readonly batch: Batch }) {
  const search = parseBatchSearch({ ...useSearch({ from: '/batches/$batch' }) });
  const { status, view } = search;
  const count = status === undefined ? batch.total : (batch.rows[status] ?? 0);
  useShortcut('leave', () => document.querySelector<HTMLAnchorElement>('a[data-all-rows]')?.click());
  return (
    <>
      <Toolbar end={<Views id={batch.id} search={search} />}>
        <nav className="tabs" aria-label="Status of rows">
          <Link
            to="/batches/$batch"
            params={{ batch: batch.id }}
            search={view === undefined ? {} : { view }}
            activeOptions={{ exact: true, includeSearch: true }}
            data-all-rows
          >
            all <small>{formatCount(batch.total)}</small>
          </Link>
          {rowStatuses
            .filter((one) => one === status || (batch.rows[one] ?? 0) > 0)
            .map((one) => (
              <Link
                key={one}
                to="/batches/$batch"
                params={{ batch: batch.id }}
                search={{ ...search, status: one }}
                activeOptions={{ exact: true, includeSearch: true }}
              >
                {one} <small>{formatCount(batch.rows[one] ?? 0)}</small>
              </Link>
            ))}
        </nav>
      </Toolbar>
      {count === 0 ? (
        <Empty title={`No row is ${status}.`}>
          <Link to="/batches/$batch" params={{ batch: batch.id }} search={{}} className="button">
            Show all rows
          </Link>
        </Empty>
      ) : (
        <RowTable key={`${status} ${view}`} batch={batch.id} count={count} {...search} />
      )}
    </>
  );
}

/** Links to the rows with their runs, and to the rows with their results. */
function Views({ id, search: { status, view } }: { readonly id: string; readonly search: BatchSearch }) {
  const kept = status === undefined ? {} : { status };
  return (
    <nav className="tabs" aria-label="Columns">
      <Link to="/batches/$batch" params={{ batch: id }} search={kept} data-current={view === undefined}>
        runs
      </Link>
      <Link
        to="/batches/$batch"
        params={{ batch: id }}
        search={{ ...kept, view: 'results' }}
        data-current={view === 'results'}
      >
        results
      </Link>
    </nav>
  );
}
