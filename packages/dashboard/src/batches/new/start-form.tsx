import type { TablePreview } from '@millrace/client';
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { useMissingScope } from '../../api/use-caller.ts';
import { CopyAs } from '../../kit/commands/copy-as.tsx';
import { copyOf } from '../../kit/commands/copy-of.ts';
import { Field, SubmitButton, WorkflowField } from '../../kit/controls/field.tsx';
import form from '../../kit/controls/form.module.css';
import { Panel } from '../../kit/layout/screen.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { formatCount } from '../../kit/values/format.ts';
import type { Columns } from './columns.ts';

interface StartFormProps {
  readonly file: File;
  readonly columns: Columns;
  /** Absent while the table is read. */
  readonly preview: TablePreview | undefined;
  /** Reason why the table cannot be sent. */
  readonly obstacle: string | undefined;
  /** What is to be known of the rows before they start. */
  readonly children: ReactNode;
}

/** The workflow and the limits of a batch, and the button that starts it. */
export function StartForm({ file, columns, preview, obstacle, children }: StartFormProps) {
  const { workflow = '' } = useSearch({ from: '/batches/new' });
  // The same request twice makes one batch.
  const [wanted, change] = useState<BatchDraft>(() => ({ workflow, parallel: '10', usd: '', tags: '', id: newId() }));
  const { mutate, isPending, error } = useStart(file, columns);
  const missing = useMissingScope('run');
  const runs = preview === undefined ? undefined : preview.total - preview.wrong;
  const reason = missing ?? obstacle ?? (runs === 0 ? 'No row of this table can start a run.' : undefined);
  return (
    <Panel title="Start">
      <form
        className={`${form['form']} stack`}
        onSubmit={(event) => {
          event.preventDefault();
          if (reason === undefined && runs !== undefined && !isPending) mutate(wanted);
        }}
      >
        {children}
        <StartFields wanted={wanted} set={(part) => change({ ...wanted, ...part })} />
        <p>{sentenceOf(wanted, runs, preview?.wrong ?? 0)}</p>
        {error !== null && <Problem error={error} />}
        <div className={`${form['buttons']} row wrap`}>
          <CopyAs of={copyOf('batches.create', requestOf(wanted, columns), { file: file.name })} />
          <SubmitButton isPending={isPending} obstacle={reason}>
            {runs === undefined ? 'Start runs' : `Start ${formatCount(runs)} ${runs === 1 ? 'run' : 'runs'}`}
          </SubmitButton>
        </div>
      </form>
    </Panel>
  );
}

/** A batch as the form has it. */
interface BatchDraft {
  readonly workflow: string;
  readonly parallel: string;
  /** Limit of each run in US dollars; empty: none but that of the workflow. */
  readonly usd: string;
  /** Separated by commas. */
  readonly tags: string;
  readonly id: string;
}

const newId = (): string => `batch_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`;

function useStart(file: File, columns: Columns) {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (wanted: BatchDraft) => {
      const { workflow, ...options } = requestOf(wanted, columns);
      return millrace.batches.start(workflow, { ...options, table: { name: file.name, content: file } });
    },
    onSuccess: ({ id }) => void navigate({ to: '/batches/$batch', params: { batch: id } }),
    meta: { changes: ['batches'] },
  });
}

interface StartFieldsProps {
  readonly wanted: BatchDraft;
  readonly set: (part: Partial<BatchDraft>) => void;
}

function StartFields({ wanted: { workflow, parallel, usd, tags, id }, set }: StartFieldsProps) {
  return (
    <div className={`${form['fields']} stack`}>
      <WorkflowField value={workflow} change={(name) => set({ workflow: name })} />
      <Field label="Rows at a time">
        {(ids) => (
          <input
            {...ids}
            type="number"
            min="1"
            max="1000"
            required
            value={parallel}
            onChange={({ target }) => set({ parallel: target.value })}
          />
        )}
      </Field>
      <Field label="Budget of each run" hint="In US dollars; empty: as the workflow says.">
        {(ids) => (
          <input
            {...ids}
            type="number"
            min="0"
            step="any"
            value={usd}
            onChange={({ target }) => set({ usd: target.value })}
          />
        )}
      </Field>
      <Field label="Tags" hint="Separated by commas.">
        {(ids) => <input {...ids} value={tags} onChange={({ target }) => set({ tags: target.value })} />}
      </Field>
      <Field label="Id of the batch" hint="Letters, digits, _ and -; ids of its runs begin with it.">
        {(ids) => (
          <input
            {...ids}
            required
            pattern="[A-Za-z0-9_\-]{1,50}"
            value={id}
            onChange={({ target }) => set({ id: target.value })}
          />
        )}
      </Field>
    </div>
  );
}

const tagsIn = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');

/** Describes the effect. */
function sentenceOf({ workflow, parallel, usd }: BatchDraft, runs: number | undefined, wrong: number): string {
  if (runs === undefined) return 'Every row that can be read starts a run.';
  const most = usd === '' ? '' : ` They may cost $${(Number(usd) * runs).toFixed(2)} together at most.`;
  const left = wrong === 0 ? '' : ` ${formatCount(wrong)} wrong ${wrong === 1 ? 'row is' : 'rows are'} left out.`;
  const of = workflow === '' ? 'the workflow' : workflow;
  return `Starts ${formatCount(runs)} ${runs === 1 ? 'run' : 'runs'} of ${of}, ${parallel} at a time.${left}${most}`;
}

const requestOf = ({ workflow, parallel, usd, tags, id }: BatchDraft, columns: Columns) => ({
  workflow,
  id,
  columns: { ...columns },
  parallel: Number(parallel),
  tags: tagsIn(tags),
  ...(usd === '' ? {} : { budget: { usd: Number(usd) } }),
});
