import type { TablePreview } from '@millrace/client';
import { Field } from '../../kit/controls/field.tsx';
import type { ColumnKind, Columns } from './columns.ts';
import { columnKinds, kindOf, withKind } from './columns.ts';
import classes from './new-batch.module.css';

interface ColumnChoiceProps {
  readonly preview: TablePreview;
  readonly columns: Columns;
  readonly change: (columns: Columns) => void;
}

/** Choice of the meaning of each column of a table. */
export function ColumnChoice({ preview, columns, change }: ColumnChoiceProps) {
  return (
    <fieldset className={classes['columns']}>
      <legend className="visually-hidden">What the columns mean</legend>
      {preview.columns.map(({ name }) => (
        <Field key={name} label={name}>
          {({ id }) => (
            <>
              <select
                id={id}
                value={kindOf(columns[name])}
                onChange={({ target }) => change(withKind(columns, name, target.value as ColumnKind))} // of the options
              >
                {Object.entries(columnKinds).map(([kind, words]) => (
                  <option key={kind} value={kind}>
                    {words}
                  </option>
                ))}
              </select>
              {kindOf(columns[name]) === 'variable' && (
                <input
                  aria-label={`Variable of ${name}`}
                  value={columns[name]?.slice('vars.'.length) ?? ''}
                  onChange={({ target }) => change({ ...columns, [name]: `vars.${target.value}` })}
                />
              )}
            </>
          )}
        </Field>
      ))}
    </fieldset>
  );
}
