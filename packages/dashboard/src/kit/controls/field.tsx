import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { offeredWorkflowsQuery } from '../../api/workflow-queries.ts';
import classes from './form.module.css';

interface FieldProps {
  readonly label: string;
  /** Explanation of the expected value. */
  readonly hint?: ReactNode | undefined;
  /** The control, which is given the ids of its label and its hint. */
  readonly children: (ids: { readonly id: string; readonly 'aria-describedby': string | undefined }) => ReactNode;
}

/** A labelled control of a form. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}hint`;
  return (
    <div className={`${classes['field']} field`}>
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': hintId })}
      {hint !== undefined && <small id={hintId}>{hint}</small>}
    </div>
  );
}

interface SubmitButtonProps {
  readonly isPending: boolean;
  /** Reason why the form cannot be sent; absent: it can. */
  readonly obstacle: string | undefined;
  readonly children: ReactNode;
}

/** Button that sends a form; a disabled one shows the reason. The form checks the obstacle, too, as Enter also sends it. */
export const SubmitButton = ({ isPending, obstacle, children }: SubmitButtonProps) => (
  <button
    type="submit"
    className="button primary"
    disabled={isPending}
    aria-disabled={obstacle !== undefined}
    title={obstacle}
  >
    {children}
    {obstacle !== undefined && <span className="visually-hidden">: {obstacle}</span>}
  </button>
);

interface WorkflowFieldProps {
  readonly value: string;
  readonly change: (workflow: string) => void;
}

/** Value of the list that leads to a field for any reference. */
const typed = ' ';

/** A field for a published workflow: a list of the names, and a field for a version of one, as NAME@HASH. */
export function WorkflowField({ value, change }: WorkflowFieldProps) {
  const { data: { workflows, areAll } = { workflows: [], areAll: true } } = useQuery(offeredWorkflowsQuery);
  const [isTyped, type] = useState(false);
  const names = [...new Set([...(value === '' ? [] : [value]), ...workflows.map(({ name }) => name)])];
  if (isTyped || !areAll)
    return (
      <Field label="Workflow" hint="A published one, as NAME or NAME@HASH.">
        {(ids) => <input {...ids} required value={value} onChange={({ target }) => change(target.value)} />}
      </Field>
    );
  return (
    <Field label="Workflow" hint={names.length === 0 ? 'No workflow is published yet.' : undefined}>
      {(ids) => (
        <select
          {...ids}
          required
          value={value}
          onChange={({ target }) => (target.value === typed ? type(true) : change(target.value))}
        >
          <option value="">Choose one</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
          <option value={typed}>A version, as NAME@HASH …</option>
        </select>
      )}
    </Field>
  );
}
