import type { RefusedJob } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { ConfirmDialog } from '../kit/commands/confirm-dialog.tsx';
import { copyOf } from '../kit/commands/copy-of.ts';
import { Done } from '../kit/states/done.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { DataTable } from '../kit/tables/data-table.tsx';
import { ErrorCode } from '../kit/values/error-code.tsx';
import { Age } from '../kit/values/time.tsx';
import classes from './operations.module.css';
import { useRefusedJobs } from './use-installation.ts';

interface Order {
  readonly verb: 'retry' | 'drop';
  readonly job: RefusedJob;
}

const words = {
  retry: {
    title: 'Queue this job again?',
    will: 'The job is queued again without changes. It is refused again unless its cause has been corrected.',
    confirm: 'Queue it again',
    did: 'was queued again',
  },
  drop: {
    title: 'Delete this job?',
    will: 'The job and its data are deleted. Its sender may send another one with the same id.',
    confirm: 'Delete it',
    did: 'was deleted',
  },
} as const;

/** Jobs of other programs that could start no run, with the reasons. */
export function RefusedJobs() {
  const { data, error, refetch } = useRefusedJobs();
  const [asked, ask] = useState<Order>();
  const client = useQueryClient();
  const order = useMutation({
    mutationFn: ({ verb, job }: Order) => millrace.intake[verb](job.id),
    onSuccess: () => ask(undefined),
    onSettled: () => void client.invalidateQueries({ queryKey: ['operations'] }),
  });
  const request = (verb: Order['verb'], job: RefusedJob) => {
    order.reset();
    ask({ verb, job });
  };
  const done = order.isSuccess ? `Job ${order.data.id} ${words[order.variables.verb].did}.` : undefined;
  return (
    <>
      <Done>{done}</Done>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={3} />}
      {data?.data.length === 0 && (
        <Empty title="No job was refused.">
          <p>Jobs of the intake queue that could start no run appear here with the reason.</p>
        </Empty>
      )}
      {data !== undefined && data.data.length > 0 && (
        <DataTable
          label="Refused jobs"
          rows={data.data}
          idOf={({ id }) => id}
          columns={[
            { title: 'Job', cell: ({ id }) => <code>{id}</code> },
            { title: 'Refused', cell: ({ refusedAt }) => <Age at={refusedAt} /> },
            { title: 'Reason', cell: ({ reason }) => <Reason of={reason} /> },
            {
              title: 'Data',
              cell: ({ data: sent }) => (
                <details>
                  <summary>Show</summary>
                  <pre className={classes['data']}>{JSON.stringify(sent, null, 2)}</pre>
                </details>
              ),
            },
            {
              title: 'Actions',
              cell: (job) => (
                <span className={classes['buttons']}>
                  <button type="button" className="button" onClick={() => request('retry', job)}>
                    Retry
                  </button>
                  <button type="button" className="button danger" onClick={() => request('drop', job)}>
                    Delete
                  </button>
                </span>
              ),
            },
          ]}
        />
      )}
      {asked !== undefined && (
        <ConfirmDialog
          title={words[asked.verb].title}
          will={words[asked.verb].will}
          confirm={words[asked.verb].confirm}
          isDanger={asked.verb === 'drop'}
          isPending={order.isPending}
          error={order.error}
          act={() => order.mutate(asked)}
          close={() => ask(undefined)}
          copied={copyOf(`intake.${asked.verb}`, { id: asked.job.id })}
        />
      )}
    </>
  );
}

/** A reason with its code as a link; the intake writes both in one line. */
function Reason({ of }: { readonly of: string }) {
  const [, code, message] = /^([A-Z][A-Z0-9_]+): (.*)$/s.exec(of) ?? [];
  if (code === undefined) return of;
  return (
    <>
      <ErrorCode code={code} /> {message}
    </>
  );
}
