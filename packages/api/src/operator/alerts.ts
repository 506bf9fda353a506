import type { Finding, InstallationState } from './installation-state.ts';

/** Minimum lag of the agenda that causes an alert: caretakers check the agenda every second. */
const lateMs = 30_000;
/** Minimum age of a waiting job that causes an alert. */
const oldMs = 5 * 60_000;

type AlertSource = Pick<
  InstallationState,
  'now' | 'version' | 'queues' | 'redis' | 'agenda' | 'workerVersions' | 'refusedJobs'
>;

/** Returns the problems of an installation that need attention, the worst first. */
export function alertsOf(state: AlertSource): Finding[] {
  const found = [
    ...(state.redis?.findings ?? []).filter(({ level }) => level !== 'good'),
    ...state.queues.flatMap((queue) => queueAlerts(queue, state.now)),
    ...agendaAlerts(state),
    ...versionAlerts(state),
    ...intakeAlerts(state),
  ];
  return found.sort((a, b) => Number(b.level === 'bad') - Number(a.level === 'bad'));
}

function queueAlerts(
  { name, paused, waiting, workers, oldestAt }: AlertSource['queues'][number],
  now: number,
): Finding[] {
  const subject = `queue ${name}`;
  if (paused)
    return [{ level: 'weak', subject, message: `It is paused, and ${jobs(waiting)} in it.`, cure: 'Resume it.' }];
  if (waiting > 0 && workers === 0) {
    const command = name === 'default' ? 'millrace worker' : `millrace worker --queues ${name}`;
    return [
      {
        level: 'bad',
        subject,
        message: `No worker takes what waits in it: ${jobs(waiting)}.`,
        cure: `Start \`${command}\`.`,
      },
    ];
  }
  if (oldestAt === undefined || now - oldestAt < oldMs) return [];
  const minutes = Math.floor((now - oldestAt) / 60_000);
  return [
    {
      level: 'weak',
      subject,
      message: `Its oldest job has waited for ${minutes} minutes.`,
      cure: 'Start more workers.',
    },
  ];
}

const jobs = (waiting: number): string => (waiting === 1 ? '1 job waits' : `${waiting} jobs wait`);

function agendaAlerts({ agenda }: AlertSource): Finding[] {
  if (agenda === null || agenda.lagMs < lateMs) return [];
  const seconds = Math.round(agenda.lagMs / 1000);
  return [
    {
      level: 'bad',
      subject: 'agenda',
      message: `An activation or an alarm is overdue by ${seconds} seconds: no process looks after the agenda.`,
      cure: 'Start a worker or a server, and read their logs.',
    },
  ];
}

function versionAlerts({ version, workerVersions }: AlertSource): Finding[] {
  const others = Object.keys(workerVersions).filter((other) => other !== version && other !== 'unknown');
  if (others.length === 0) return [];
  return [
    {
      level: 'weak',
      subject: 'versions',
      message: `The server has version ${version}, and some workers have ${others.join(', ')}.`,
      cure: 'Finish the upgrade.',
    },
  ];
}

function intakeAlerts({ refusedJobs }: AlertSource): Finding[] {
  if (refusedJobs === 0) return [];
  const message = `${refusedJobs === 1 ? '1 job was' : `${refusedJobs} jobs were`} refused.`;
  return [{ level: 'weak', subject: 'intake', message, cure: 'Retry or delete them.' }];
}
