import type { BatchRow, Page } from '@millrace/client';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSubjectOptions } from '../api/deletion.ts';
import { useLiveOptions } from '../api/live-updates.ts';
import { millrace } from '../api/millrace.ts';
import { copyOf } from '../kit/commands/copy-of.ts';
import { ResourceActions } from '../kit/commands/resource-actions.tsx';
import { useIsNarrow } from '../kit/layout/use-is-narrow.ts';
import { ErrorCode, Problem } from '../kit/states/problem.tsx';
import { useRowHeight, useVirtualRows, VirtualTable } from '../kit/tables/virtual-table.tsx';
import { formatCost } from '../kit/values/format.ts';
import { Prose, plainProse } from '../kit/values/prose.tsx';
import { Status } from '../kit/values/status.tsx';
import classes from './row-table.module.css';
import type { BatchSearch } from './use-batches.ts';

/** Heights in pixels of rows with two lines on a phone, and of rows with results. */
const heights = { narrow: 52, results: 96 } as const;

/** The rows of a batch, of which only those near the window are in the document. */
export function RowTable(wanted: WantedRows) {
  const { batch, count, view } = wanted;
  const [seen, see] = useState({ from: 0, to: 30 });
  const { rowAt, error, retry } = useRows(wanted, seen.from, seen.to);
  const oneLine = useRowHeight();
  const isNarrow = useIsNarrow();
  const rowHeight = view !== undefined ? heights.results : isNarrow ? heights.narrow : oneLine;
  const virtual = useVirtualRows<HTMLTableSectionElement>({ count, rowHeight });
  const { rows } = virtual;
  const from = rows[0]?.index ?? 0;
  const to = rows.at(-1)?.index ?? 0;
  // Set while rendering, as the pages of this very rendering depend on it.
  if (rows.length > 0 && (from !== seen.from || to !== seen.to)) see({ from, to });
  const columns = view === undefined ? ['Row', 'Status', 'Input', 'Run', 'Cost'] : ['Row', 'Status', 'Input', 'Output'];
  return (
    <>
      {error !== null && <Problem error={error} retry={retry} />}
      <VirtualTable
        label="Rows"
        className={`${classes['table']} ${view === undefined ? '' : classes['results']}`}
        head={classes['head']}
        columns={columns}
        of={virtual}
        count={count}
      >
        {(index, place) => {
          const row = rowAt(index);
          return (
            <tr key={index} className={classes['row']} {...place} aria-busy={row === undefined} data-row={row?.row}>
              {row === undefined ? (
                <td>
                  <span className="visually-hidden">Loading</span>
                </td>
              ) : view === undefined ? (
                <RowCells batch={batch} row={row} />
              ) : (
                <ResultCells row={row} />
              )}
            </tr>
          );
        }}
      </VirtualTable>
    </>
  );
}

interface CellsProps {
  readonly batch: string;
  readonly row: BatchRow;
}

function RowCells({ batch, row }: CellsProps) {
  const { runId, error, status, usage } = row;
  return (
    <>
      <td className={classes['number']}>{row.row}</td>
      <td>
        <Status of={status} />
      </td>
      <td className={classes['input']}>
        {runId === undefined ? (
          <RowTitle row={row} />
        ) : (
          <Link to="/runs/$run" params={{ run: runId }}>
            <RowTitle row={row} />
          </Link>
        )}
        {error !== undefined && (
          <small title={plainProse(error.message)}>
            <ErrorCode code={error.code} /> <Prose text={error.message} />
          </small>
        )}
      </td>
      <td className={`${classes['run']} row`}>
        {runId !== undefined && (
          <Link to="/runs/$run" params={{ run: runId }} className="mono cut">
            {runId}
          </Link>
        )}
        {(status === 'failed' || status === 'terminated') && <RetryRow batch={batch} row={row} />}
      </td>
      <td className={classes['number']}>{formatCost(usage?.microUsd)}</td>
    </>
  );
}

const RowTitle = ({ row: { id, title } }: { readonly row: BatchRow }) => (
  <span title={title}>
    {id !== undefined && <b>{id} </b>}
    {title}
  </span>
);

/** Input and output of a row. */
function ResultCells({ row }: { readonly row: BatchRow }) {
  const { runId, error, status, input = '', output = null, id } = row;
  const text = output ?? (error && plainProse(error.message));
  return (
    <>
      <td className={classes['number']}>{row.row}</td>
      <td>
        <Status of={status} />
      </td>
      <td className={classes['text']} title={input}>
        {id !== undefined && <b>{id} </b>}
        {input}
      </td>
      <td className={classes['text']} title={text}>
        {runId === undefined ? (
          text
        ) : (
          <Link to="/runs/$run" params={{ run: runId }}>
            {text ?? runId}
          </Link>
        )}
      </td>
    </>
  );
}

/** Button that retries one row, after a question. */
const RetryRow = ({ batch, row }: { readonly batch: string; readonly row: BatchRow }) => (
  <ResourceActions
    changes="batches"
    done={() => undefined}
    actions={[
      {
        id: 'retry',
        scope: 'run',
        button: (
          <>
            <RotateCcw aria-hidden size={13} /> Retry
            <span className="visually-hidden"> row {row.row}</span>
          </>
        ),
        will: retriesFrom(row),
        ...(continues(row) ? {} : { asks: `Retry row ${row.row}?`, confirm: 'Retry the row' }),
        copied: copyOf('batches.retryRow', { id: batch, row: row.row }),
        act: async () => void (await millrace.batches.retryRow(batch, row.row)),
      },
    ]}
  />
);

/** Tests if a retry continues the run of a row, so that nothing is paid again. */
const continues = ({ status, runId }: BatchRow): boolean => status === 'failed' && runId !== undefined;

const retriesFrom = (row: BatchRow): string =>
  continues(row)
    ? `The run ${row.runId} continues where it has failed. Calls that have succeeded are not paid again.`
    : 'The row starts again from the beginning, with a new run, which is paid again.';

/** Rows of a page; with their results, fewer, as each has a run to be read. */
const sizes = { rows: 200, results: 50 } as const;

/** Rows of a batch that an address names. */
interface WantedRows extends BatchSearch {
  readonly batch: string;
  /** Number of rows with the status. */
  readonly count: number;
}

/** The rows of a batch near the window. */
interface LoadedRows {
  /** Returns a row by its place in the list; undefined while it is not loaded. */
  readonly rowAt: (index: number) => BatchRow | undefined;
  readonly error: unknown;
  readonly retry: () => void;
}

/**
 * Loads the rows of a batch between two places of the list, and keeps them up to date. Without a status the place of a row
 * is its number, so that any page can be loaded; else a page begins where the one before ends.
 */
function useRows({ batch, status, view, count }: WantedRows, from: number, to: number): LoadedRows {
  const size = sizes[view ?? 'rows'];
  const queries = useQueryClient();
  const options = { ...useLiveOptions(), ...useSubjectOptions('batches', batch) };
  // Cursors of pages whose rows have a status, as far as they are known.
  const [cursors, setCursors] = useState<readonly string[]>(['0']);
  const cursorOf = (page: number) => (status === undefined ? String(page * size) : cursors[page]);
  const wanted = Math.max(0, Math.floor(Math.min(to, count - 1) / size));
  const first = Math.max(0, Math.floor(from / size));
  const reached = status === undefined ? wanted : Math.min(wanted, cursors.length - 1);
  // The page that is reached leads on to those that are not.
  const numbers = range(Math.min(first, reached), reached);
  const keyOf = (page: number) => ['batches', 'rows', batch, status, view, size, cursorOf(page)] as const;
  const pages = useQueries({
    queries: numbers.map((page) => ({
      queryKey: keyOf(page),
      queryFn: ({ signal }: { readonly signal: AbortSignal }): Promise<Page<BatchRow>> =>
        loadPage({ batch, status, view }, { cursor: cursorOf(page) ?? '0', limit: size }, signal),
      ...options,
    })),
  });
  const next = pages.at(-1)?.data?.nextCursor ?? null;
  useEffect(() => {
    if (status !== undefined && next !== null && reached < wanted && reached === cursors.length - 1)
      setCursors([...cursors, next]);
  }, [status, next, reached, wanted, cursors]);
  const failed = pages.find(({ error }) => error !== null);
  return {
    rowAt(index) {
      const page = Math.floor(index / size);
      const data = pages[numbers.indexOf(page)]?.data ?? queries.getQueryData<Page<BatchRow>>(keyOf(page));
      return data?.data[index - page * size];
    },
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
  };
}

/** Rows of one kind. */
interface RowsOf {
  readonly batch: string;
  readonly status: BatchSearch['status'] | undefined;
  readonly view: BatchSearch['view'] | undefined;
}

function loadPage(
  { batch, status, view }: RowsOf,
  page: { readonly cursor: string; readonly limit: number },
  signal: AbortSignal,
) {
  const query = { id: batch, ...page, ...(status === undefined ? {} : { status }) };
  const results = view === undefined ? {} : { results: 'true' as const };
  return millrace.call('batches.rows', { ...query, ...results }, { signal });
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
