import type { ReactNode } from 'react';
import { useId } from 'react';
import classes from './form.module.css';

interface FieldProps {
  readonly label: string;
  /** Explanation of the expected value. */
  readonly hint?: ReactNode;
  /** The control, which is given the ids of its label and its hint. */
  readonly children: (ids: { readonly id: string; readonly 'aria-describedby': string | undefined }) => ReactNode;
}

/** A labelled control of a form. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}hint`;
  return (
    <div className={`${classes['field']} stack strong`}>
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': hintId })}
      {hint !== undefined && <small id={hintId}>{hint}</small>}
    </div>
  );
}
