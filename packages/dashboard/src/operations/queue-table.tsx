import type { Queue } from '@millrace/client';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { copyOf } from '../kit/commands/copy-of.ts';
import type { ResourceAction } from '../kit/commands/resource-actions.tsx';
import { ResourceActions } from '../kit/commands/resource-actions.tsx';
import { Empty } from '../kit/states/empty.tsx';
import { Done } from '../kit/states/notes.tsx';
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
  const [done, say] = useState<ReactNode>();
  if (queues.length === 0) return <Empty title="There are no queues: runs live in this process only." />;
  return (
    <>
      <Done>{done}</Done>
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
            cell: (queue) => <ResourceActions changes="operations" done={say} actions={[actionFor(queue)]} />,
          },
        ]}
      />
    </>
  );
}

function actionFor({ name, paused, active, waiting, workers }: Queue): ResourceAction {
  if (paused) {
    return {
      id: 'resume',
      button: `Resume ${name}`,
      asks: `Resume queue ${name}?`,
      will: `The ${formatCount(waiting)} that wait are given to its ${formatCount(workers)} workers.`,
      confirm: 'Resume it',
      copied: copyOf('queues.resume', { queue: name }),
      act: async () => {
        await millrace.operations.resumeQueue(name);
        return `Queue ${name} is resumed.`;
      },
    };
  }
  return {
    id: 'pause',
    button: `Pause ${name}`,
    asks: `Pause queue ${name}?`,
    will: `No activation of this queue starts, of any tenant, until it is resumed. The ${formatCount(active)} active ones continue, and ${formatCount(waiting)} wait.`,
    confirm: 'Pause it',
    copied: copyOf('queues.pause', { queue: name }),
    act: async () => {
      await millrace.operations.pauseQueue(name);
      return `Queue ${name} is paused.`;
    },
  };
}
