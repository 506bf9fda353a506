import type { VirtualItem } from '@tanstack/react-virtual';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import type { CSSProperties, ReactNode, RefObject } from 'react';
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import classes from './virtual-table.module.css';

/** Column of a table, or its title alone. */
type Column =
  | string
  | {
      readonly title: string;
      readonly head?: ReactNode;
      readonly className?: string | undefined;
      /** How its rows are sorted by it; absent: they cannot be. */
      readonly sorted?: 'descending' | 'none' | undefined;
    };

/** Properties of a row: its place on the page and among all rows. */
export interface RowPlace {
  readonly 'aria-rowindex': number;
  readonly style: CSSProperties;
}

interface VirtualTableProps {
  readonly label: string;
  readonly columns: readonly Column[];
  /** The rows near the window. */
  readonly of: VirtualRows<HTMLTableSectionElement>;
  /** Number of all rows; undefined: it is not known. */
  readonly count: number | undefined;
  /** Rows of one line, which people choose. */
  readonly hasLines?: boolean;
  readonly className?: string | undefined;
  /** Class of the row of titles. */
  readonly head?: string | undefined;
  /** Returns the row at an index. */
  readonly children: (index: number, place: RowPlace) => ReactNode;
}

/** Table of many rows, of which only those near the window are in the document. Its style has the columns as `--columns`. */
export function VirtualTable({ label, columns, of, count, hasLines, className, head, children }: VirtualTableProps) {
  const { body, rows, height, topOf } = of;
  return (
    <table
      className={[classes['table'], hasLines === true && classes['lines'], 'panel', className]
        .filter(Boolean)
        .join(' ')}
      aria-label={label}
      aria-rowcount={count === undefined ? -1 : count + 1}
    >
      <thead>
        <tr aria-rowindex={1} className={head}>
          {columns.map((column) => {
            const { title, head = title, className, sorted } = typeof column === 'string' ? { title: column } : column;
            return (
              <th key={title} scope="col" className={className} aria-sort={sorted}>
                {head}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody ref={body} style={{ height }}>
        {rows.map((item) =>
          children(item.index, {
            'aria-rowindex': item.index + 2,
            style: { transform: `translateY(${topOf(item)}px)` },
          }),
        )}
      </tbody>
    </table>
  );
}

interface RowsOptions {
  readonly count: number;
  /** Height of a row in pixels, or an estimate of it when rows are measured. */
  readonly rowHeight: number;
  readonly overscan?: number;
  /** Distance that a row which is scrolled to has from the edges of the window at least, in pixels. */
  readonly scrollPadding?: number;
  /** Returns the identity of a row, independent of the rows before it; absent: its index. */
  readonly keyOf?: (index: number) => string;
}

/** Rows of a long list, as far as they are near the window. */
interface VirtualRows<Body extends HTMLElement> {
  /** Put on the element that holds the rows. */
  readonly body: RefObject<Body | null>;
  readonly rows: readonly VirtualItem[];
  /** Height of all rows together, in pixels. */
  readonly height: number;
  /** Returns the distance of a row from the top of the body, in pixels. */
  readonly topOf: (row: VirtualItem) => number;
  /** Put on rows whose heights differ, together with `data-index`. */
  readonly measure: (element: HTMLElement | null) => void;
  readonly scrollTo: (index: number, align?: 'auto' | 'center' | 'start' | 'end') => void;
}

/** Rows of a long list that scrolls with the page; only those near the window are in the document. */
export function useVirtualRows<Body extends HTMLElement>(options: RowsOptions): VirtualRows<Body> {
  const { count, rowHeight, overscan = 8, scrollPadding = 0, keyOf } = options;
  const body = useRef<Body>(null);
  const [top, setTop] = useState(0);
  // Whatever is above the list may grow or shrink.
  useLayoutEffect(() => {
    const measure = () => {
      const element = body.current;
      if (element !== null) setTop(Math.round(element.getBoundingClientRect().top + window.scrollY));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    measure();
    return () => observer.disconnect();
  }, []);
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => rowHeight,
    overscan,
    scrollMargin: top,
    scrollPaddingStart: scrollPadding,
    scrollPaddingEnd: scrollPadding,
    ...(keyOf === undefined ? {} : { getItemKey: keyOf }),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights are measured again when the layout changes
  useEffect(() => virtualizer.measure(), [rowHeight]);
  return {
    body,
    rows: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    topOf: ({ start }) => start - top,
    measure: virtualizer.measureElement,
    scrollTo: (index, align = 'auto') => virtualizer.scrollToIndex(index, { align }),
  };
}

/** The windows in which `tokens.css` makes targets large enough for a finger. */
const touch = matchMedia('(pointer: coarse), (width < 720px)');

/** Heights in pixels: the larger one of 32 and of `--target`, and `--small-target`. */
const heights = { normal: { pointer: 32, touch: 44 }, small: { pointer: 24, touch: 40 } } as const;

/** Returns the height in pixels of a row that people choose. */
export const useRowHeight = (size: keyof typeof heights = 'normal'): number =>
  useSyncExternalStore(subscribe, () => heights[size][touch.matches ? 'touch' : 'pointer']);

function subscribe(listener: () => void): () => void {
  touch.addEventListener('change', listener);
  return () => touch.removeEventListener('change', listener);
}
