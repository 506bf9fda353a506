import type { Batch } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { Allowed } from '../kit/commands/allowed.tsx';
import { Screen } from '../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Stale } from '../kit/states/notes.tsx';
import { Problem } from '../kit/states/problem.tsx';
import cards from '../kit/tables/cards.module.css';
import { formatMoney } from '../kit/values/format.ts';
import { Status } from '../kit/values/status.tsx';
import { Age } from '../kit/values/time.tsx';
import { PaceNote, RowsBar } from './rows-bar.tsx';
import { useBatches } from './use-batches.ts';

/** The batches, newest first, each with its progress. */
export function BatchesScreen() {
  const { data, error, hasNextPage, fetchNextPage, refetch, dataUpdatedAt } = useBatches();
  const batches = data?.pages.flatMap((page) => page.data);
  return (
    <Screen
      title="Batches"
      actions={
        <Allowed scope="run">
          <Link to="/batches/new" className="button primary">
            <Plus aria-hidden size={14} /> New batch
          </Link>
        </Allowed>
      }
    >
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {batches !== undefined && <Stale at={dataUpdatedAt} isStale={error !== null} />}
      {batches === undefined && error === null && <Skeleton rows={6} rowHeight={60} />}
      {batches?.length === 0 && (
        <Empty title="There is no batch yet.">
          <p>A batch starts a run for each row of a table.</p>
          <code>millrace batch start WORKFLOW people.csv</code>
          <Allowed scope="run">
            <Link to="/batches/new" className="button">
              New batch
            </Link>
          </Allowed>
        </Empty>
      )}
      {batches !== undefined && batches.length > 0 && (
        <ul className="spaced panel" aria-label="Batches">
          {batches.map((batch) => (
            <BatchCard key={batch.id} batch={batch} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <button type="button" className="button" onClick={() => void fetchNextPage()}>
          Load more batches
        </button>
      )}
    </Screen>
  );
}

function BatchCard({ batch }: { readonly batch: Batch }) {
  const { id, workflow, status, usage, createdAt } = batch;
  return (
    <li className={`${cards['card']} stack`}>
      <span className={`${cards['main']} stack`}>
        <Link to="/batches/$batch" params={{ batch: id }} className={`${cards['link']} strong`}>
          {id}
        </Link>
        <small>{workflow ?? 'a workflow of its own'}</small>
      </span>
      <RowsBar batch={batch} />
      <span className={`${cards['main']} stack muted`}>
        {usage.microUsd !== undefined && <span>{formatMoney(usage.microUsd)}</span>}
        <small>
          <PaceNote batch={batch} />
        </small>
      </span>
      <span className={`${cards['main']} stack muted`}>
        <Status of={status} />
        <small>
          <Age at={createdAt} />
        </small>
      </span>
    </li>
  );
}
