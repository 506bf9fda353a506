import type { ActivationDetail } from '@millrace/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { CopyAs } from '../../kit/commands/copy-as.tsx';
import { Dialog } from '../../kit/controls/dialog.tsx';
import { Segmented } from '../../kit/controls/segmented.tsx';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import type { ForkDraft } from './fork-change.ts';
import { commandOf, differences, requestOf, wrongLines } from './fork-change.ts';
import classes from './fork-dialog.module.css';
import { ForkFields } from './fork-fields.tsx';
import { ForkPreview } from './fork-preview.tsx';

interface ForkDialogProps {
  readonly run: string;
  readonly activation: string;
  readonly close: () => void;
}

/** Dialog that starts a run which shares the past of this one up to an activation, and differs from there. */
export function ForkDialog({ run, activation, close }: ForkDialogProps) {
  const { data, error } = useQuery({
    queryKey: ['run', run, 'activation', activation, 'whole'],
    queryFn: () => millrace.runs.get(run).activation(activation),
  });
  return (
    <Dialog
      title={`Fork at ${data === undefined ? activation : `${nameOf(data)}, ${activation}`}`}
      close={close}
      size="large"
    >
      {error !== null && <Problem error={error} />}
      {data === undefined && error === null && <Skeleton rows={4} />}
      {data !== undefined && <ForkForm run={run} of={data} />}
    </Dialog>
  );
}

const nameOf = ({ node, unit }: ActivationDetail): string =>
  `${node === '' ? 'the vote' : node}${unit === undefined ? '' : `, unit ${unit + 1}`}`;

function ForkForm({ run, of }: { readonly run: string; readonly of: ActivationDetail }) {
  const { id: activation, output, input } = of;
  const [draft, setDraft] = useState<ForkDraft>({
    difference: 'output',
    output: output.at(-1)?.text ?? '',
    input: input.map(({ text }) => text).join('\n\n'),
    prompt: '',
    model: '',
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
  const request = requestOf(activation, draft);
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
      <ForkFields draft={draft} change={(changed) => setDraft({ ...draft, ...changed })} vars={workflow?.vars ?? {}} />
      <ForkPreview run={run} activation={activation} isAsked={draft.difference !== 'output'} />
      {error !== null && <Problem error={error} />}
      <div className={classes['buttons']}>
        <CopyAs
          of={{
            command: commandOf(run, request),
            request: { method: 'POST', path: `/v1/runs/${run}/fork`, body: request },
          }}
        />
        <button type="submit" className="button primary" disabled={isPending || isWrong}>
          Fork
        </button>
      </div>
    </form>
  );
}
