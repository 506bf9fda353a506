import type { CSSProperties, ReactNode } from 'react';
import type { VirtualRows } from './use-virtual-rows.ts';
import classes from './virtual-table.module.css';

/** Column of a table, or its title alone. */
type Column = string | { readonly title: string; readonly head?: ReactNode; readonly className?: string | undefined };

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
            const { title, head = title, className } = typeof column === 'string' ? { title: column } : column;
            return (
              <th key={title} scope="col" className={className}>
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
