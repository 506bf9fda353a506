import type { HTMLInputTypeAttribute } from 'react';
import { Field } from '../kit/controls/field.tsx';
import form from '../kit/controls/form.module.css';
import { WorkflowField } from '../kit/controls/workflow-field.tsx';
import type { RunDraft } from './run-draft.ts';

interface RunFieldsProps {
  readonly draft: RunDraft;
  readonly change: (changed: Partial<RunDraft>) => void;
}

/** The fields of the runs that a schedule starts. */
export function RunFields({ draft, change }: RunFieldsProps) {
  const text = (name: keyof Omit<RunDraft, 'others'>, label: string, hint?: string) => (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      {(ids) => (
        <textarea {...ids} value={draft[name] ?? ''} onChange={({ target }) => change({ [name]: target.value })} />
      )}
    </Field>
  );
  const line = (name: 'tags' | 'limit', label: string, hint: string) => (
    <Field label={label} hint={hint}>
      {(ids) => <input {...ids} value={draft[name]} onChange={({ target }) => change({ [name]: target.value })} />}
    </Field>
  );
  const number = (name: 'usd' | 'tokens' | 'priority', label: string, more: NumberProps) => (
    <Field label={label} hint={more.hint}>
      {(ids) => (
        <input
          {...ids}
          {...more.limits}
          type={'number' satisfies HTMLInputTypeAttribute}
          value={draft[name]}
          onChange={({ target }) => change({ [name]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <div className={form['fields']}>
      {draft.workflow === undefined ? (
        text('yaml', 'Text of the workflow')
      ) : (
        <WorkflowField value={draft.workflow} change={(workflow) => change({ workflow })} />
      )}
      {text('input', 'Input')}
      {text('variables', 'Variables', 'NAME=VALUE, one a line; values are JSON or texts.')}
      {line('tags', 'Tags', 'Separated by commas.')}
      {number('usd', 'Budget in US dollars', {
        hint: 'Of each run; empty: as the workflow says.',
        limits: { min: 0, step: 'any' },
      })}
      {number('tokens', 'Budget in tokens', { hint: 'Of each run.', limits: { min: 1 } })}
      {line('limit', 'Time limit', 'As in 90s, 30m or 2h; empty: none.')}
      {number('priority', 'Priority', {
        hint: 'Runs without one go first, then 1, 2, … 1000.',
        limits: { min: 1, max: 1000 },
      })}
    </div>
  );
}

interface NumberProps {
  readonly hint: string;
  readonly limits: { readonly min: number; readonly max?: number; readonly step?: 'any' };
}
