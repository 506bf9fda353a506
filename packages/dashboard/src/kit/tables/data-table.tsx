import type { ReactNode } from 'react';
import classes from './table.module.css';
import { useTargetRow } from './use-target-row.ts';

/** One column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
}

interface DataTableProps<Row> {
  readonly label: string;
  /** The first one names the row. */
  readonly columns: readonly [Column<Row>, ...Column<Row>[]];
  readonly rows: readonly Row[];
  /** Id of a row, which the address can name. */
  readonly idOf: (row: Row) => string;
  /** Loads more rows; absent: all are shown. */
  readonly more?: (() => void) | undefined;
}

/** Table of a few rows. On phones each row is a block with a line for each cell, named by its column. */
export function DataTable<Row>({ label, columns, rows, idOf, more }: DataTableProps<Row>) {
  const target = useTargetRow({ rows: rows.length, more });
  const [first, ...others] = columns;
  return (
    <table className={`${classes['table']} panel ${classes['stacked']}`} aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ title }) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={idOf(row)} {...target(idOf(row))}>
            <th scope="row">{first.cell(row)}</th>
            {others.map(({ title, cell }) => (
              <td key={title} data-column={title}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
