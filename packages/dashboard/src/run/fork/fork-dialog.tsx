import type { ActivationDetail } from '@millrace/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { CopyAs } from '../../kit/commands/copy-as.tsx';
import { copyOf } from '../../kit/commands/copy-of.ts';
import { Dialog } from '../../kit/controls/dialog.tsx';
import { Segmented } from '../../kit/controls/segmented.tsx';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import type { ForkDraft, ModelSettings } from './fork-change.ts';
import { differences, requestOf, wrongLines } from './fork-change.ts';
import classes from './fork-dialog.module.css';
import { ForkFields } from './fork-fields.tsx';
import { ForkPreview, useForkPreview } from './fork-preview.tsx';

interface ForkDialogProps {
  readonly run: string;
  readonly activation: string;
  readonly close: () => void;
}

/** Dialog that forks the run at an activation. */
export function ForkDialog({ run, activation, close }: ForkDialogProps) {
  const { data, error } = useQuery({
    queryKey: ['run', run, 'activation', activation, 'whole'],
    queryFn: () => millrace.runs.get(run).activation(activation),
  });
  const preview = useForkPreview(run, activation);
  return (
    <Dialog
      title={`Fork at ${data === undefined ? activation : `${nameOf(data)}, ${activation}`}`}
      close={close}
      size="large"
    >
      {error !== null && <Problem error={error} />}
      {preview.error !== null && <Problem error={preview.error} />}
      {(data === undefined || preview.isPending) && error === null && <Skeleton rows={4} />}
      {data !== undefined && !preview.isPending && (
        <ForkForm run={run} of={data} settings={preview.data?.settings ?? { prompt: '', model: '' }} />
      )}
    </Dialog>
  );
}

const nameOf = ({ node, unit }: ActivationDetail): string =>
  `${node === '' ? 'the vote' : node}${unit === undefined ? '' : `, unit ${unit + 1}`}`;

interface ForkFormProps {
  readonly run: string;
  readonly of: ActivationDetail;
  /** Settings of the node in the original run; both are empty for a node that calls no model. */
  readonly settings: ModelSettings;
}

function ForkForm({ run, of, settings }: ForkFormProps) {
  const { id: activation, output, input, state } = of;
  const [draft, setDraft] = useState<ForkDraft>({
    // A failed activation has no output to change.
    difference: state === 'failed' ? (settings.model === '' ? 'again' : 'settings') : 'output',
    output: output.at(-1)?.text ?? '',
    input: input.map(({ text }) => text).join('\n\n'),
    ...settings,
    variables: '',
  });
  const { data: workflow } = useQuery({
    queryKey: ['run', run, 'workflow'],
    queryFn: () => millrace.runs.get(run).workflow(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const navigate = useNavigate();
  // The same request twice makes one run.
  const [runId] = useState(() => `run_${crypto.randomUUID().replaceAll('-', '')}`);
  const request = requestOf(activation, draft, settings);
  const isWrong = draft.difference === 'settings' && wrongLines(draft.variables).length > 0;
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => millrace.runs.get(run).fork({ ...request, runId }),
    onSuccess: ({ id }) => void navigate({ to: '/runs/$run/graph', params: { run: id } }),
  });
  return (
    <form
      className={classes['form']}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending && !isWrong) mutate();
      }}
    >
      <Segmented
        label="What differs in the new run"
        options={differences}
        value={draft.difference}
        choose={(difference) => setDraft({ ...draft, difference })}
      />
      <ForkFields
        draft={draft}
        change={(changed) => setDraft({ ...draft, ...changed })}
        vars={workflow?.vars ?? {}}
        asksModel={settings.model !== ''}
      />
      <ForkPreview run={run} activation={activation} isAsked={draft.difference !== 'output'} />
      {error !== null && <Problem error={error} />}
      <div className={classes['buttons']}>
        <CopyAs of={copyOf('runs.fork', { id: run, ...request })} />
        <button type="submit" className="button primary" disabled={isPending || isWrong}>
          Fork
        </button>
      </div>
    </form>
  );
}
