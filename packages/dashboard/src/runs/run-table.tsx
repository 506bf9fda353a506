import type { RunLine } from '@millrace/client';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { RunRow } from './run-row.tsx';
import classes from './run-table.module.css';

interface RunTableProps {
  readonly runs: readonly RunLine[];
  /** Absent once the last page is there. */
  readonly more: { readonly isLoading: boolean; readonly load: () => void } | undefined;
}

/** Rows of runs, of which only those near the window are in the document; the next page is loaded on the way down. */
export function RunTable({ runs, more }: RunTableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const rows = useWindowVirtualizer({
    count: runs.length,
    estimateSize: () => 52,
    overscan: 12,
    scrollMargin: body.current?.offsetTop ?? 0,
    getItemKey: (index) => runs[index]?.runId ?? index,
  });
  const visible = rows.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  const isNearEnd = last >= runs.length - 20;
  useEffect(() => {
    if (isNearEnd && more !== undefined && !more.isLoading) more.load();
  }, [isNearEnd, more]);
  return (
    <table className={classes['table']} aria-label="Runs" aria-rowcount={more === undefined ? runs.length + 1 : -1}>
      <thead>
        <tr className={classes['head']}>
          {columns.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body} className={classes['body']} style={{ height: rows.getTotalSize() }}>
        {visible.map(({ index, key, start }) => {
          const run = runs[index];
          return run === undefined ? null : (
            <RunRow key={key} run={run} index={index} top={start - rows.options.scrollMargin} />
          );
        })}
      </tbody>
    </table>
  );
}

const columns = ['Status', 'Run', 'Workflow', 'Started', 'Duration', 'Tokens', 'Cost'] as const;
