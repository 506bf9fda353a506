import type { InstallationState, Queue } from '@millrace/client';
import { withSession } from '../client/session.ts';
import { columns } from '../output/tables/columns.ts';
import type { Cli } from '../process/cli.ts';

/** Prints the state of the installation. */
export async function printOperations(cli: Cli, json: boolean): Promise<void> {
  await withSession(cli, {}, async ({ millrace }) => {
    const state = await millrace.operations.read();
    cli.terminal.data(json ? JSON.stringify(state, null, 2) : textOf(state));
  });
}

function textOf({ alerts, queues, redis, workers, agenda, refusedJobs }: InstallationState): string {
  const findings = [...alerts, ...(redis?.findings ?? [])].map(({ subject, message }) => `${subject}: ${message}`);
  return [
    alerts.length === 0 ? 'Nothing needs attention.' : 'Needs attention:',
    ...new Set(findings),
    `workers: ${workers}`,
    ...(agenda === null ? [] : [`agenda: ${agenda.entries} entries, ${agenda.lagMs} ms late`]),
    `refused jobs of the intake queue: ${refusedJobs}`,
    ...(queues.length === 0 ? [] : ['', tableOf(queues)]),
  ].join('\n');
}

/** Prints the queues. */
export async function listQueues(cli: Cli, json: boolean): Promise<void> {
  await withSession(cli, {}, async ({ millrace }) => {
    const { queues } = await millrace.operations.read();
    if (json) cli.terminal.data(JSON.stringify(queues, null, 2));
    else if (queues.length === 0) cli.terminal.say('There are no queues: runs live in this process only.');
    else cli.terminal.data(tableOf(queues));
  });
}

const tableOf = (queues: readonly Queue[]): string =>
  columns(
    ['QUEUE', 'STATE', 'WAITING', 'ACTIVE', 'DELAYED', 'WORKERS'],
    queues.map(({ name, paused, waiting, active, delayed, workers }) => [
      name,
      paused ? 'paused' : 'open',
      ...[waiting, active, delayed, workers].map(String),
    ]),
  );

interface QueueOrder {
  readonly queue: string;
  readonly isPaused: boolean;
  readonly json: boolean;
}

/** Pauses or resumes a queue. */
export async function pauseQueue(cli: Cli, { queue, isPaused, json }: QueueOrder): Promise<void> {
  await withSession(cli, {}, async ({ millrace: { operations } }) => {
    const now = await (isPaused ? operations.pauseQueue(queue) : operations.resumeQueue(queue));
    if (json) cli.terminal.data(JSON.stringify(now));
    else cli.terminal.say(`Queue ${now.name} is ${now.paused ? 'paused' : 'resumed'}.`);
  });
}
