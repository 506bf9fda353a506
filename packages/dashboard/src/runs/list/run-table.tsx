import { ArrowDown } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useStore } from '../../api/store.ts';
import { listDensity } from '../../kit/layout/density.ts';
import { useIsNarrow } from '../../kit/layout/use-is-narrow.ts';
import { useShortcut } from '../../kit/shortcuts/shortcuts.ts';
import { useVirtualRows, VirtualTable } from '../../kit/tables/virtual-table.tsx';
import type { SortColumn } from '../filter/run-order.ts';
import { parseSort } from '../filter/run-order.ts';
import type { RunPages } from './run-pages.ts';
import { rowAt, rowCount } from './run-pages.ts';
import rowClasses from './run-row.module.css';
import { RunRow } from './run-row.tsx';
import classes from './run-table.module.css';

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
  /** Column that the rows are sorted by; undefined: the newest run is first. */
  readonly sort: SortColumn | undefined;
  readonly sortBy: (column: SortColumn | undefined) => void;
}

/** Rows of runs, of which only those near the window are in the document; pages are loaded as they come near. */
export function RunTable(props: RunTableProps) {
  const { list, hidden, total, load } = props;
  const rowHeight = useRunRowHeight();
  const virtual = useVirtualRows<HTMLTableSectionElement>({
    count: Math.max(0, rowCount(list) - hidden),
    rowHeight,
    overscan: 1,
    // The head, which stays, and the bar of selected runs.
    scrollPadding: 80,
    keyOf: (index) => rowAt(list, index + hidden).run?.runId ?? String(index),
  });
  const visible = virtual.rows.map((item) => ({ ...item, ...rowAt(list, item.index + hidden) }));
  const missing = visible.find(({ run }) => run === undefined)?.page;
  const isNearEnd =
    (visible.at(-1)?.index ?? 0) >= rowCount(list) - hidden - 20 && list.next !== null && !list.isPartial;
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
    virtual.scrollTo(to);
    setMove({ to: run.runId, at: performance.now() });
  };
  useShortcut('next', () => step(1));
  useShortcut('previous', () => step(-1));
  useShortcut('select', () => withFocusedRun((run) => props.select(run, false)));
  useShortcut('selectRange', () => withFocusedRun((run) => props.select(run, true)));
  const hiddenColumns = useHiddenColumns();
  const density = useStore(listDensity);
  const count = total === undefined ? (list.next === null ? rowCount(list) : undefined) : total;
  return (
    <div data-hidden={hiddenColumns} data-density={density}>
      <VirtualTable
        label="Runs"
        className={classes['table']}
        head={`${rowClasses['grid']} ${classes['head']}`}
        columns={[
          {
            title: 'Select all loaded runs',
            head: (
              <input
                type="checkbox"
                aria-label="Select all loaded runs"
                checked={props.areAllSelected}
                onChange={props.selectAll}
              />
            ),
          },
          'Status',
          'Run',
          ...(Object.entries(columns) as [ColumnName, string][]).map(([name, title]) => {
            const column = parseSort(name);
            const isSorted = column !== undefined && column === props.sort;
            return {
              title,
              className: rowClasses[name],
              ...(column === undefined
                ? {}
                : {
                    sorted: isSorted ? ('descending' as const) : ('none' as const),
                    head: (
                      <SortButton
                        title={title}
                        isSorted={isSorted}
                        act={() => props.sortBy(isSorted ? undefined : column)}
                      />
                    ),
                  }),
            };
          }),
        ]}
        of={virtual}
        count={count}
      >
        {(index, place) => {
          const { run } = rowAt(list, index + hidden);
          return (
            <RunRow
              key={run?.runId ?? index}
              place={place}
              run={run}
              isOneLine={rowHeight < twoLines}
              isSelected={run !== undefined && props.isSelected(run.runId)}
              select={props.select}
              focusedAt={run !== undefined && move?.to === run.runId ? move.at : undefined}
            />
          );
        }}
      </VirtualTable>
    </div>
  );
}

interface SortButtonProps {
  readonly title: string;
  readonly isSorted: boolean;
  readonly act: () => void;
}

/** Head of a column that sorts the rows by it, or puts the newest first again. */
const SortButton = ({ title, isSorted, act }: SortButtonProps) => (
  <button
    type="button"
    className={`${classes['sort']} inline`}
    title={isSorted ? 'Newest first again' : `Largest ${title.toLowerCase()} first`}
    onClick={act}
  >
    {title}
    <ArrowDown aria-hidden size={12} data-sorted={isSorted} />
  </button>
);

/** Returns the run of the row that has the focus. */
const focusedRun = (): string | undefined => document.activeElement?.closest<HTMLElement>('[data-run]')?.dataset['run'];

function withFocusedRun(act: (run: string) => void): void {
  const run = focusedRun();
  if (run !== undefined) act(run);
}

/** Height of a row of two lines, in pixels. */
const twoLines = 52;

/** Returns the height in pixels of a run in the list: a line, two lines, or on phones three. */
export function useRunRowHeight(): number {
  const density = useStore(listDensity);
  return useIsNarrow() ? 84 : density === 'compact' ? 32 : twoLines;
}

/** Columns of the list of runs that can be hidden, with their titles. */
export const columns = {
  workflow: 'Workflow',
  started: 'Started',
  duration: 'Duration',
  tokens: 'Tokens',
  cost: 'Cost',
} as const;

/** Name of a column that can be hidden. */
export type ColumnName = keyof typeof columns;

const stored = 'millrace.hidden-columns';
const columnListeners = new Set<() => void>();

/** Names of the hidden columns of this browser, with spaces between them. */
const hiddenColumns = (): string => localStorage.getItem(stored) ?? '';

/** Shows or hides a column in this browser. */
export function showColumn(name: ColumnName, isShown: boolean): void {
  const others = hiddenColumns()
    .split(' ')
    .filter((one) => one !== '' && one !== name);
  localStorage.setItem(stored, (isShown ? others : [...others, name]).join(' '));
  for (const listener of columnListeners) listener();
}

/** Returns the names of the hidden columns, with spaces between them. */
export const useHiddenColumns = (): string => useSyncExternalStore(subscribeToColumns, hiddenColumns);

function subscribeToColumns(listener: () => void): () => void {
  columnListeners.add(listener);
  return () => void columnListeners.delete(listener);
}
