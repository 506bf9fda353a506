import type { ActivationDetail } from '@millrace/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { CopyAs } from '../../kit/commands/copy-as.tsx';
import { Dialog } from '../../kit/controls/dialog.tsx';
import { Segmented } from '../../kit/controls/segmented.tsx';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import classes from './fork-dialog.module.css';

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

/** What differs in the fork. */
type Difference = 'output' | 'again';
const differences = { output: 'Another result', again: 'Execute it again' } as const;

function ForkForm({ run, of }: { readonly run: string; readonly of: ActivationDetail }) {
  const { id: activation, node } = of;
  const [difference, setDifference] = useState<Difference>('output');
  const [output, setOutput] = useState(of.output.at(-1)?.text ?? '');
  const navigate = useNavigate();
  // The same request twice makes one run.
  const runId = useRef(`run_${crypto.randomUUID().replaceAll('-', '')}`).current;
  const body = { at: activation, ...(difference === 'output' ? { output } : {}) };
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => millrace.runs.get(run).fork({ ...body, runId }),
    onSuccess: ({ id }) => void navigate({ to: '/runs/$run/graph', params: { run: id } }),
  });
  return (
    <form
      className={classes['form']}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) mutate();
      }}
    >
      <Segmented label="What differs in the new run" options={differences} value={difference} choose={setDifference} />
      {difference === 'output' && (
        <label className={classes['field']}>
          Output
          <textarea rows={8} value={output} onChange={({ target }) => setOutput(target.value)} />
        </label>
      )}
      <p>
        The new run begins with everything that happened before {activation} was settled, which is not paid again.{' '}
        {difference === 'output'
          ? `${node} has this output without being asked; what follows it is executed, and paid, again.`
          : `From there ${node} and what follows it are executed, and paid, again.`}
      </p>
      {error !== null && <Problem error={error} />}
      <div className={classes['buttons']}>
        <CopyAs
          of={{
            command: ['fork', run, '--at', activation, ...(difference === 'output' ? ['--output', output] : [])],
            request: { method: 'POST', path: `/v1/runs/${run}/fork`, body },
          }}
        />
        <button type="submit" className="button primary" disabled={isPending}>
          Fork
        </button>
      </div>
    </form>
  );
}
