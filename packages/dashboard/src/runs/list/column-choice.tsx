import { Columns3 } from 'lucide-react';
import classes from './column-choice.module.css';
import type { ColumnName } from './columns.ts';
import { columns, showColumn, useHiddenColumns } from './columns.ts';

/** Choice of the columns of the list of runs; this browser keeps it. */
export function ColumnChoice() {
  const hidden = useHiddenColumns().split(' ');
  return (
    <details className={classes['choice']}>
      <summary aria-label="Columns" title="Columns">
        <Columns3 aria-hidden size={14} />
      </summary>
      <fieldset>
        <legend>Columns</legend>
        {(Object.entries(columns) as [ColumnName, string][]).map(([name, title]) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={!hidden.includes(name)}
              onChange={({ target }) => showColumn(name, target.checked)}
            />
            {title}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
