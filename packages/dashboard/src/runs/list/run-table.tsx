import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { useShortcut } from '../../kit/shortcuts/use-shortcut.ts';
import { columns, useHiddenColumns } from './columns.ts';
import type { RunPages } from './run-pages.ts';
import { rowAt, rowCount } from './run-pages.ts';
import rowClasses from './run-row.module.css';
import { RunRow } from './run-row.tsx';
import classes from './run-table.module.css';
import { useRunRowHeight } from './use-run-row-height.ts';

interface RunTableProps {
  readonly list: RunPages;
  /** Rows at the top that are not shown yet. */
  readonly hidden: number;
  /** Number of runs that the filter finds in all, where that is known. */
  readonly total: number | undefined;
  readonly load: (page: number) => void;
  readonly isSelected: (run: string) => boolean;
  readonly select: (run: string, withRange: boolean) => void;
  readonly areAllSelected: boolean;
  readonly selectAll: () => void;
}

/** Rows of runs, of which only those near the window are in the document; pages are loaded as they come near. */
export function RunTable(props: RunTableProps) {
  const { list, hidden, total, load } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const rowHeight = useRunRowHeight();
  const rows = useWindowVirtualizer({
    count: Math.max(0, rowCount(list) - hidden),
    estimateSize: () => rowHeight,
    overscan: 3,
    scrollMargin: body.current?.offsetTop ?? 0,
    scrollPaddingStart: 60,
    scrollPaddingEnd: 80,
    getItemKey: (index) => rowAt(list, index + hidden).run?.runId ?? index,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights are measured again when the layout changes
  useEffect(() => rows.measure(), [rowHeight]);
  const visible = rows.getVirtualItems().map((item) => ({ ...item, ...rowAt(list, item.index + hidden) }));
  const missing = visible.find(({ run }) => run === undefined)?.page;
  const isNearEnd = (visible.at(-1)?.index ?? 0) >= rows.options.count - 20 && list.next !== null && !list.isPartial;
  const needed = missing ?? (isNearEnd ? list.pages.length : undefined);
  useEffect(() => {
    if (needed !== undefined) load(needed);
  }, [needed, load]);
  const [move, setMove] = useState<{ readonly to: string; readonly at: number }>();
  const step = (by: number) => {
    const from = visible.find(({ run }) => run !== undefined && run.runId === focusedRun())?.index;
    const to = from === undefined ? (visible[0]?.index ?? 0) : from + by;
    const { run } = rowAt(list, to + hidden);
    if (to < 0 || run === undefined) return;
    rows.scrollToIndex(to);
    setMove({ to: run.runId, at: performance.now() });
  };
  useShortcut('next', () => step(1));
  useShortcut('previous', () => step(-1));
  useShortcut('select', () => withFocusedRun((run) => props.select(run, false)));
  useShortcut('selectRange', () => withFocusedRun((run) => props.select(run, true)));
  const hiddenColumns = useHiddenColumns();
  const count = total === undefined ? (list.next === null ? rowCount(list) : undefined) : total;
  return (
    <table
      className={`${classes['table']} panel`}
      data-hidden={hiddenColumns}
      aria-label="Runs"
      aria-rowcount={count === undefined ? -1 : count + 1}
    >
      <Head isChecked={props.areAllSelected} check={props.selectAll} />
      <tbody ref={body} className={classes['body']} style={{ height: rows.getTotalSize() }}>
        {visible.map(({ index, key, start, run }) => (
          <RunRow
            key={key}
            run={run}
            index={index}
            top={start - rows.options.scrollMargin}
            isSelected={run !== undefined && props.isSelected(run.runId)}
            select={props.select}
            focusedAt={run !== undefined && move?.to === run.runId ? move.at : undefined}
          />
        ))}
      </tbody>
    </table>
  );
}

/** Returns the run of the row that has the focus. */
const focusedRun = (): string | undefined => document.activeElement?.closest<HTMLElement>('[data-run]')?.dataset['run'];

function withFocusedRun(act: (run: string) => void): void {
  const run = focusedRun();
  if (run !== undefined) act(run);
}

function Head({ isChecked, check }: { readonly isChecked: boolean; readonly check: () => void }) {
  return (
    <thead>
      <tr className={`${rowClasses['grid']} ${classes['head']} muted small strong`}>
        <th scope="col">
          <input type="checkbox" aria-label="Select all loaded runs" checked={isChecked} onChange={check} />
        </th>
        <th scope="col">Status</th>
        <th scope="col">Run</th>
        {Object.entries(columns).map(([name, title]) => (
          <th key={name} scope="col" className={rowClasses[name]}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}
