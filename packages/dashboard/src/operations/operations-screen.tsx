import type { InstallationState } from '@millrace/client';
import { useParams } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import { TabLinks } from '../kit/controls/tab-links.tsx';
import { Screen } from '../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { Stale } from '../kit/states/stale.tsx';
import { InstallationFacts } from './installation-facts.tsx';
import { LimitList } from './limit-list.tsx';
import classes from './operations.module.css';
import { QueueTable } from './queue-table.tsx';
import { RefusedJobs } from './refused-jobs.tsx';
import { useInstallation } from './use-installation.ts';
import { WorkerTable } from './worker-table.tsx';

/** The whole installation: alerts, workers, queues, refused jobs and limits. */
export function OperationsScreen() {
  const { part } = useParams({ from: '/operations/$part' });
  const { data, error, refetch, dataUpdatedAt } = useInstallation();
  return (
    <Screen
      title="Operations"
      actions={
        <a className="button" href="/admin/queues">
          Jobs in the queues
        </a>
      }
    >
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={8} />}
      {data !== undefined && (
        <>
          <Stale at={dataUpdatedAt} isStale={error !== null} />
          <Alerts alerts={data.alerts} />
          <InstallationFacts state={data} />
          <TabLinks
            label="Parts of the installation"
            to="/operations/$part"
            tabs={[
              { part: 'workers', label: 'Workers', count: data.workers },
              { part: 'queues', label: 'Queues', count: data.queues.length },
              { part: 'refused', label: 'Refused jobs', count: data.refusedJobs },
              { part: 'limits', label: 'Limits' },
            ]}
          />
          <Part part={part} state={data} />
        </>
      )}
    </Screen>
  );
}

function Part({ part, state }: { readonly part: string; readonly state: InstallationState }) {
  if (part === 'workers') return <WorkerTable server={state.version} />;
  if (part === 'queues') return <QueueTable queues={state.queues} now={state.now} />;
  if (part === 'refused') return <RefusedJobs />;
  if (part === 'limits') return <LimitList />;
  return <Empty title="There is no such part." />;
}

const icons = { good: CircleCheck, weak: TriangleAlert, bad: CircleAlert } as const;
const words = { good: 'Fine', weak: 'Warning', bad: 'Alert' } as const;

function Alerts({ alerts }: { readonly alerts: InstallationState['alerts'] }) {
  return (
    <ul className={classes['alerts']} aria-label="Alerts" aria-live="polite">
      {alerts.length === 0 && (
        <li className={`${classes['alert']} ${classes['good']}`}>
          <CircleCheck aria-hidden size={16} /> Nothing needs attention.
        </li>
      )}
      {alerts.map(({ level, subject, message, cure }) => {
        const Icon = icons[level];
        return (
          <li key={`${subject} ${message}`} className={`${classes['alert']} ${classes[level]}`}>
            <Icon aria-hidden size={16} />
            <span>
              <strong>
                {words[level]}, {subject}:
              </strong>{' '}
              {message} {cure}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
