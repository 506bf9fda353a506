import type { TablePreview } from '@millrace/client';
import tables from '../../kit/tables/table.module.css';
import { formatCount } from '../../kit/values/format.ts';
import type { Columns } from './columns.ts';
import { columnKinds, kindOf } from './columns.ts';
import classes from './new-batch.module.css';

interface PreviewTableProps {
  readonly preview: TablePreview;
  readonly columns: Columns;
  /** The rows were read with these columns, so that their problems are those that a batch would have. */
  readonly isMapped: boolean;
}

/** The first rows of a table as they were read. */
export const PreviewTable = ({ preview, columns, isMapped }: PreviewTableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways
  <section className={classes['scroll']} tabIndex={0} aria-label="Preview">
    <table className={tables['table']} aria-label="First rows">
      <thead>
        <tr>
          <th scope="col">Row</th>
          {preview.columns.map(({ name }) => (
            <th key={name} scope="col">
              {name} <small>{meaningOf(columns[name])}</small>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {preview.rows.map(({ row, cells, problem }) => (
          <tr key={row} data-wrong={isMapped && problem !== undefined}>
            <td>{row}</td>
            {preview.columns.map(({ name }, at) => (
              <td key={name} className={columns[name] === undefined ? classes['ignored'] : undefined}>
                {cells[at] ?? ''}
                {isMapped && at === 0 && problem !== undefined && <em>{problem}</em>}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

const meaningOf = (to: string | undefined): string =>
  kindOf(to) === 'variable' ? `→ ${to?.slice('vars.'.length)}` : `→ ${columnKinds[kindOf(to)]}`;

/** The invalid rows, shown before the batch is started. */
export function WrongRows({ preview: { wrong, total, problems } }: { readonly preview: TablePreview }) {
  if (wrong === 0) return <p>All {formatCount(total)} rows can start a run.</p>;
  return (
    <section className={classes['wrong']} aria-label="Wrong rows">
      <strong>
        {formatCount(wrong)} of {formatCount(total)} rows cannot start a run; they are left out, and listed as invalid.
      </strong>
      <ul>
        {problems.map(({ row, problem }) => (
          <li key={row}>
            Row {row}: {problem}
          </li>
        ))}
      </ul>
      {wrong > problems.length && <p>… and {formatCount(wrong - problems.length)} more.</p>}
    </section>
  );
}
