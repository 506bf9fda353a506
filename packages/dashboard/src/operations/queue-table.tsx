import type { Queue } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { ConfirmDialog } from '../kit/commands/confirm-dialog.tsx';
import { copyOf } from '../kit/commands/copy-of.ts';
import { Done } from '../kit/states/done.tsx';
import { Empty } from '../kit/states/empty.tsx';
import { DataTable } from '../kit/tables/data-table.tsx';
import { formatCount, formatDuration } from '../kit/values/format.ts';
import { Status } from '../kit/values/status.tsx';

interface QueueTableProps {
  readonly queues: readonly Queue[];
  /** Clock of the server, in milliseconds since 1970. */
  readonly now: number;
}

/** The queues of activations, which can be paused and resumed. */
export function QueueTable({ queues, now }: QueueTableProps) {
  const [asked, ask] = useState<Queue>();
  const client = useQueryClient();
  const { mutate, isPending, error, data, reset } = useMutation({
    mutationFn: ({ name, paused }: Queue) =>
      paused ? millrace.operations.resumeQueue(name) : millrace.operations.pauseQueue(name),
    onSuccess: () => ask(undefined),
    onSettled: () => void client.invalidateQueries({ queryKey: ['operations'] }),
  });
  if (queues.length === 0) return <Empty title="There are no queues: runs live in this process only." />;
  return (
    <>
      <Done>{data === undefined ? undefined : `Queue ${data.name} is ${data.paused ? 'paused' : 'resumed'}.`}</Done>
      <DataTable
        label="Queues"
        rows={queues}
        idOf={({ name }) => name}
        columns={[
          { title: 'Queue', cell: ({ name }) => name },
          { title: 'State', cell: ({ paused }) => (paused ? <Status of="paused" /> : 'open') },
          { title: 'Waiting', cell: ({ waiting }) => formatCount(waiting) },
          {
            title: 'Oldest',
            cell: ({ oldestAt }) => (oldestAt === undefined ? '–' : formatDuration(Math.max(0, now - oldestAt))),
          },
          { title: 'Active', cell: ({ active }) => formatCount(active) },
          { title: 'Delayed', cell: ({ delayed }) => formatCount(delayed) },
          { title: 'Workers', cell: ({ workers }) => formatCount(workers) },
          {
            title: 'Action',
            cell: (queue) => (
              <button
                type="button"
                className="button"
                onClick={() => {
                  reset();
                  ask(queue);
                }}
              >
                {queue.paused ? 'Resume' : 'Pause'} {queue.name}
              </button>
            ),
          },
        ]}
      />
      {asked !== undefined && (
        <ConfirmDialog
          title={`${asked.paused ? 'Resume' : 'Pause'} queue ${asked.name}?`}
          will={asked.paused ? willResume(asked) : willPause(asked)}
          confirm={asked.paused ? 'Resume it' : 'Pause it'}
          isPending={isPending}
          error={error}
          act={() => mutate(asked)}
          close={() => ask(undefined)}
          copied={copyOf(asked.paused ? 'queues.resume' : 'queues.pause', { queue: asked.name })}
        />
      )}
    </>
  );
}

const willPause = ({ active, waiting }: Queue): string =>
  `No activation of this queue starts, of any tenant, until it is resumed. The ${formatCount(active)} active ones continue, and ${formatCount(waiting)} wait.`;

const willResume = ({ waiting, workers }: Queue): string =>
  `The ${formatCount(waiting)} that wait are given to its ${formatCount(workers)} workers.`;
