import type { RefusedJob } from '@millrace/client';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { copyOf } from '../kit/commands/copy-of.ts';
import type { ResourceAction } from '../kit/commands/resource-actions.tsx';
import { ResourceActions } from '../kit/commands/resource-actions.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Done } from '../kit/states/notes.tsx';
import { ErrorCode, Problem } from '../kit/states/problem.tsx';
import { DataTable } from '../kit/tables/data-table.tsx';
import { Prose } from '../kit/values/prose.tsx';
import { Age } from '../kit/values/time.tsx';
import classes from './operations.module.css';
import { useRefusedJobs } from './use-installation.ts';

/** Jobs that other programs sent to the intake queue and that could start no run, with the reasons. */
export function RefusedJobs() {
  const { data, error, refetch } = useRefusedJobs();
  const [done, say] = useState<ReactNode>();
  return (
    <>
      <p className="muted spaced">
        Other programs start runs through the intake queue. A job there that could start none is kept here with the
        reason.
      </p>
      <Done>{done}</Done>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={3} />}
      {data?.data.length === 0 && <Empty title="No job was refused." />}
      {data !== undefined && data.data.length > 0 && (
        <DataTable
          label="Refused intake jobs"
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
                <span className={`${classes['buttons']} row`}>
                  <ResourceActions changes="operations" done={say} actions={actionsFor(job)} />
                </span>
              ),
            },
          ]}
        />
      )}
    </>
  );
}

const actionsFor = ({ id }: RefusedJob): readonly ResourceAction[] => [
  {
    id: 'retry',
    button: 'Retry',
    asks: 'Queue this job again?',
    will: 'The job is queued again without changes. It is refused again unless its cause has been corrected.',
    confirm: 'Queue it again',
    copied: copyOf('intake.retry', { id }),
    act: async () => {
      await millrace.intake.retry(id);
      return `Job ${id} was queued again.`;
    },
  },
  {
    id: 'drop',
    danger: 'always',
    button: 'Delete',
    asks: 'Delete this job?',
    will: 'The job and its data are deleted. Its sender may send another one with the same id.',
    confirm: 'Delete it',
    copied: copyOf('intake.drop', { id }),
    act: async () => {
      await millrace.intake.drop(id);
      return `Job ${id} was deleted.`;
    },
  },
];

/** A reason with its code as a link; the intake writes both in one line. */
function Reason({ of }: { readonly of: string }) {
  const [, code, message] = /^([A-Z][A-Z0-9_]+): (.*)$/s.exec(of) ?? [];
  if (code === undefined) return of;
  return (
    <>
      <ErrorCode code={code} /> <Prose text={message ?? ''} />
    </>
  );
}
