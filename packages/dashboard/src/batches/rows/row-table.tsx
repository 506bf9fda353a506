import type { BatchRow } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Problem } from '../../kit/states/problem.tsx';
import { useVirtualRows } from '../../kit/tables/use-virtual-rows.ts';
import { ErrorCode } from '../../kit/values/error-code.tsx';
import { formatMoney } from '../../kit/values/format.ts';
import { Status } from '../../kit/values/status.tsx';
import { RetryRow } from './retry-row.tsx';
import classes from './row-table.module.css';
import type { WantedRows } from './use-rows.ts';
import { useRows } from './use-rows.ts';

const heights = { rows: 52, results: 96 } as const;

/** The rows of a batch, of which only those near the window are in the document. */
export function RowTable(wanted: WantedRows) {
  const { batch, count, view } = wanted;
  const [seen, see] = useState({ from: 0, to: 30 });
  const { rowAt, error, retry } = useRows(wanted, seen.from, seen.to);
  const { body, rows, height, topOf } = useVirtualRows<HTMLTableSectionElement>({
    count,
    rowHeight: heights[view ?? 'rows'],
  });
  const from = rows[0]?.index ?? 0;
  const to = rows.at(-1)?.index ?? 0;
  // Set while rendering, as the pages of this very rendering depend on it.
  if (rows.length > 0 && (from !== seen.from || to !== seen.to)) see({ from, to });
  const columns = view === undefined ? ['Row', 'Status', 'Input', 'Run', 'Cost'] : ['Row', 'Status', 'Input', 'Output'];
  return (
    <>
      {error !== null && <Problem error={error} retry={retry} />}
      <table
        className={`${classes['table']} ${view === undefined ? '' : classes['results']}`}
        aria-label="Rows"
        aria-rowcount={count + 1}
      >
        <thead>
          <tr className={classes['head']}>
            {columns.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} style={{ height }}>
          {rows.map((item) => {
            const row = rowAt(item.index);
            const place = { 'aria-rowindex': item.index + 2, style: { transform: `translateY(${topOf(item)}px)` } };
            return (
              <tr
                key={item.key}
                className={classes['row']}
                {...place}
                aria-busy={row === undefined}
                data-row={row?.row}
              >
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
          })}
        </tbody>
      </table>
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
          <small title={error.message}>
            <ErrorCode code={error.code} /> {error.message}
          </small>
        )}
      </td>
      <td className={classes['run']}>
        {runId !== undefined && (
          <Link to="/runs/$run" params={{ run: runId }}>
            {runId}
          </Link>
        )}
        {(status === 'failed' || status === 'terminated') && <RetryRow batch={batch} row={row} />}
      </td>
      <td className={classes['number']}>{usage?.microUsd === undefined ? '–' : formatMoney(usage.microUsd)}</td>
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
      <td className={classes['text']} title={output ?? error?.message}>
        {runId === undefined ? (
          (output ?? error?.message)
        ) : (
          <Link to="/runs/$run" params={{ run: runId }}>
            {output ?? error?.message ?? runId}
          </Link>
        )}
      </td>
    </>
  );
}
