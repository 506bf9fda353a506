import type { InstallationState } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { serverNow } from '../api/server-clock.ts';
import { useCaller } from '../api/use-caller.ts';
import { copyOf } from '../kit/commands/copy-of.ts';
import type { ResourceAction } from '../kit/commands/resource-actions.tsx';
import { ResourceActions } from '../kit/commands/resource-actions.tsx';
import { formatCount, formatCounted } from '../kit/values/format.ts';
import classes from './operations.module.css';

interface EmergencyStopProps {
  readonly queues: InstallationState['queues'];
  readonly done: (result: ReactNode) => void;
}

/** What an emergency stop does: either, or both. */
interface Stop {
  readonly pauses: boolean;
  readonly cancels: boolean;
}

/** Button that pauses all queues and cancels all runs of the tenant; when all queues are paused, the one that resumes them. */
export function EmergencyStop({ queues, done }: EmergencyStopProps) {
  const [stop, change] = useState<Stop>({ pauses: true, cancels: true });
  const { data: counts } = useActiveRuns();
  const tenant = useCaller().data?.tenant;
  const open = queues.filter(({ paused }) => !paused);
  const runs = counts === undefined ? 'all active runs' : formatCounted(counts, 'active run');
  const action: ResourceAction = {
    id: 'stop',
    scope: 'admin',
    danger: 'always',
    button: 'Stop everything',
    command: 'Stop everything: pause all queues and cancel all runs',
    asks: 'Stop everything?',
    will: 'For emergencies. The queues are resumed here afterwards; cancelled runs stay cancelled.',
    confirm: 'Stop everything',
    copied: copyOf('bulk.create', { action: 'cancel', filter: { until: String(serverNow()) } }),
    field: (
      <div className="stack">
        <Part
          isOn={stop.pauses}
          turn={(pauses) => change({ ...stop, pauses })}
          title={`Pause ${formatCounted(queues.length, 'queue')}`}
          effect="No activation starts, of any tenant, until the queues are resumed. Executing ones continue."
        />
        <Part
          isOn={stop.cancels}
          turn={(cancels) => change({ ...stop, cancels })}
          title={`Cancel ${runs} of tenant ${tenant ?? 'default'}`}
          effect="They end for good: executing activations are aborted, and questions are withdrawn."
        />
      </div>
    ),
    act: async () => {
      if (!stop.pauses && !stop.cancels) throw new Error('Choose at least one of the two.');
      // Nothing new starts while the runs are cancelled.
      if (stop.pauses) for (const { name } of open) await millrace.operations.pauseQueue(name);
      if (!stop.cancels) return 'All queues are paused.';
      const { id } = await millrace.bulk.create({ action: 'cancel', filter: { until: String(serverNow()) } });
      return (
        <>
          {stop.pauses && 'All queues are paused. '}
          <Link to="/bulk/$bulk" params={{ bulk: id }}>
            The runs are being cancelled: watch the progress
          </Link>
        </>
      );
    },
  };
  const resume: ResourceAction = {
    id: 'resume',
    scope: 'admin',
    button: 'Resume all queues',
    will: `What waits in the ${formatCount(queues.length)} queues is given to their workers.`,
    copied: copyOf('queues.resume', { queue: queues[0]?.name ?? 'default' }),
    act: async () => {
      for (const { name } of queues) await millrace.operations.resumeQueue(name);
      return 'All queues are resumed.';
    },
  };
  if (queues.length === 0) return null;
  return <ResourceActions changes="operations" done={done} actions={open.length === 0 ? [resume, action] : [action]} />;
}

/** Loads the number of runs of the tenant that have not ended. */
const useActiveRuns = () =>
  useQuery({
    queryKey: ['runs', 'counts', 'active'],
    queryFn: async () => {
      const { running, waiting, paused, stopping } = await millrace.runs.counts({});
      return running + waiting + paused + stopping;
    },
  });

interface PartProps {
  readonly isOn: boolean;
  readonly turn: (isOn: boolean) => void;
  readonly title: string;
  readonly effect: string;
}

const Part = ({ isOn, turn, title, effect }: PartProps) => (
  <label className={`${classes['part']} row`}>
    <input type="checkbox" checked={isOn} onChange={({ target }) => turn(target.checked)} />
    <span>
      <strong>{title}</strong>
      <br />
      <small>{effect}</small>
    </span>
  </label>
);
