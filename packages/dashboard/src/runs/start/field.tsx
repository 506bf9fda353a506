import { useId } from 'react';
import { ErrorCode } from '../../kit/states/problem.tsx';
import classes from './start.module.css';
import type { FieldError } from './start-draft.ts';

interface FieldProps {
  readonly label: string;
  /** A word beside the label. */
  readonly hint?: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly error: FieldError | undefined;
  readonly placeholder?: string;
  readonly type?: 'text' | 'number';
  /** Lines of a field for long texts; absent: one line. */
  readonly rows?: number;
}

/** A field with its label and its error. */
export function Field({ label, hint, value, change, error, placeholder, type = 'text', rows }: FieldProps) {
  const id = useId();
  const common = {
    id,
    value,
    placeholder,
    'aria-invalid': error !== undefined,
    'aria-describedby': error === undefined ? undefined : `${id}-error`,
  };
  return (
    <div className={classes['field']}>
      <label htmlFor={id}>
        {label} {hint !== undefined && <small>{hint}</small>}
      </label>
      {rows === undefined ? (
        <input
          {...common}
          type={type}
          {...(type === 'number' ? { min: 0, step: 'any' } : {})}
          onChange={({ target }) => change(target.value)}
        />
      ) : (
        <textarea {...common} rows={rows} onChange={({ target }) => change(target.value)} />
      )}
      {error !== undefined && <Mistake id={`${id}-error`} error={error} />}
    </div>
  );
}

/** Error of a field, with its code. */
export const Mistake = ({ id, error: { code, detail } }: { readonly id: string; readonly error: FieldError }) => (
  <small id={id} className={classes['mistake']}>
    <ErrorCode code={code} /> {detail}
  </small>
);
