import type { InstallationState } from '@millrace/client';
import { formatBytes, formatCount, formatDuration } from '../kit/values/format.ts';
import classes from './operations.module.css';

/** Redis with its memory and durability, the agenda, and the runs that are kept. */
export function InstallationFacts({ state }: { readonly state: InstallationState }) {
  const { redis, agenda, endedRuns, workerVersions, version } = state;
  const versions = Object.entries(workerVersions).map(([name, count]) => `${count} × ${name}`);
  return (
    <dl className={classes['facts']}>
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
          name="Agenda"
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
    <dd>{text}</dd>
  </>
);

const Meter = ({ used, limit }: { readonly used: number; readonly limit: number }) => (
  <>
    {' '}
    <meter min={0} max={limit} high={limit * 0.8} value={used} aria-label="Memory in use" />
  </>
);
