import type { InstallationState } from '@millrace/client';
import { useParams } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { TabLinks } from '../kit/controls/tab-links.tsx';
import { Screen } from '../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Done, Stale } from '../kit/states/notes.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { formatBytes, formatCount, formatDuration } from '../kit/values/format.ts';
import { Prose } from '../kit/values/prose.tsx';
import { EmergencyStop } from './emergency-stop.tsx';
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
  const [done, say] = useState<ReactNode>();
  return (
    <Screen
      title="Operations"
      actions={
        <>
          <a className="button" href="/admin/queues">
            Jobs in the queues
          </a>
          {data !== undefined && <EmergencyStop queues={data.queues} done={say} />}
        </>
      }
    >
      <Done>{done}</Done>
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
              { part: 'refused', label: 'Refused intake jobs', count: data.refusedJobs },
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

const looks = {
  good: [CircleCheck, 'Fine', 'completed'],
  weak: [TriangleAlert, 'Warning', 'waiting'],
  bad: [CircleAlert, 'Alert', 'failed'],
} as const;

function Alerts({ alerts }: { readonly alerts: InstallationState['alerts'] }) {
  return (
    <ul className={`${classes['alerts']} stack`} aria-label="Alerts" aria-live="polite">
      {alerts.length === 0 && (
        <li className={`${classes['alert']} note ink`} data-tone="completed">
          <CircleCheck aria-hidden size={16} /> Nothing needs attention.
        </li>
      )}
      {alerts.map(({ level, subject, message, cure }) => {
        const [Icon, label, tone] = looks[level];
        return (
          <li key={`${subject} ${message}`} className={`${classes['alert']} note ink`} data-tone={tone}>
            <Icon aria-hidden size={16} />
            <span>
              <strong>
                {label}, {subject}:
              </strong>{' '}
              <Prose text={`${message} ${cure}`} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** Redis with its memory and durability, the scheduled work (timers, retries and schedules), and the runs that are kept. */
function InstallationFacts({ state }: { readonly state: InstallationState }) {
  const { redis, agenda, endedRuns, workerVersions, version } = state;
  const versions = Object.entries(workerVersions).map(([name, count]) => `${count} × ${name}`);
  return (
    <dl className={`${classes['facts']} panel facts`}>
      <dt>Versions</dt>
      <dd>
        server {version}, workers {versions.length === 0 ? 'none' : versions.join(', ')}
      </dd>
      {redis === null ? (
        <>
          <dt>Redis</dt>
          <dd>none: runs live in this process only</dd>
        </>
      ) : (
        <>
          <dt>Memory of Redis</dt>
          <dd>
            {formatBytes(redis.usedBytes)}
            {redis.limitBytes > 0 && ` of ${formatBytes(redis.limitBytes)}`}
            {redis.limitBytes > 0 && <Meter used={redis.usedBytes} limit={redis.limitBytes} />}
          </dd>
          {redis.findings
            .filter(({ subject }) => subject !== 'memory')
            .map(({ subject, message }) => (
              <Fact key={subject} name={subject} text={message} />
            ))}
        </>
      )}
      {agenda !== null && (
        <Fact
          name="Scheduled work"
          text={`${agenda.entries === 1 ? '1 entry' : `${formatCount(agenda.entries)} entries`}, ${agenda.lagMs === 0 ? 'none overdue' : `the latest overdue by ${formatDuration(agenda.lagMs)}`}`}
        />
      )}
      {endedRuns !== null && (
        <Fact
          name="Ended runs kept"
          text={Object.entries(endedRuns)
            .map(([status, count]) => `${formatCount(count)} ${status}`)
            .join(', ')}
        />
      )}
    </dl>
  );
}

const Fact = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <>
    <dt>{`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`}</dt>
    <dd>
      <Prose text={text} />
    </dd>
  </>
);

const Meter = ({ used, limit }: { readonly used: number; readonly limit: number }) => (
  <>
    {' '}
    <meter min={0} max={limit} high={limit * 0.8} value={used} aria-label="Memory in use" />
  </>
);
