import type { InstallationState, Queue } from '@millrace/client';
import type { Command } from 'commander';
import { withSession } from '../../client/session.ts';
import { printList } from '../../output/print-list.ts';
import { wrapped } from '../../output/terminal/wrapped.ts';
import type { Cli } from '../../process/cli.ts';

/** `millrace operations`: shows the state of the installation. */
export function addOperations(program: Command, cli: Cli): void {
  program
    .command('operations')
    .description('print what needs attention, the workers, the queues and Redis')
    .addHelpText('after', '\nExample:\n  millrace operations')
    .option('--json', 'print {alerts, workers, queues, agenda, redis, …}')
    .action(({ json }: { json?: boolean }) =>
      withSession(cli, {}, async ({ millrace }) => {
        const state = await millrace.operations.read();
        if (json) return cli.terminal.data(JSON.stringify(state, null, 2));
        const { columns } = await import('../../output/columns.ts');
        const queues = state.queues.length === 0 ? [] : ['', columns(queueHead, state.queues.map(queueRow))];
        const lines = wrapped(linesOf(state).join('\n'), cli.terminal.columns ?? Number.POSITIVE_INFINITY);
        cli.terminal.data([lines, ...queues].join('\n'));
      }),
    );
}

function linesOf({ health, alerts, redis, agenda, refusedJobs }: InstallationState): readonly string[] {
  const findings = [...alerts, ...(redis?.findings ?? [])].map(({ subject, message }) => `${subject}: ${message}`);
  return [
    health.line,
    alerts.length === 0 ? 'Nothing needs attention.' : 'Needs attention:',
    ...new Set(findings),
    ...(agenda === null
      ? []
      : [
          `scheduled work: ${agenda.entries}, ${agenda.lagMs === 0 ? 'none overdue' : `overdue by ${agenda.lagMs} ms`}`,
        ]),
    `refused jobs of the intake queue: ${refusedJobs}`,
  ];
}

/** `millrace queues`: lists, pauses and resumes the queues of activations. */
export function addQueues(program: Command, cli: Cli): void {
  const queues = program
    .command('queues')
    .description('list, pause and resume the queues of activations')
    .addHelpText('after', '\nExample:\n  millrace queues pause default');
  queues
    .command('list')
    .description('list the queues with what waits in them')
    .addHelpText('after', '\nExample:\n  millrace queues list')
    .option('--json', 'print a JSON array')
    .action(({ json }: { json?: boolean }) =>
      withSession(cli, {}, async ({ millrace }) =>
        printList(cli.terminal, (await millrace.operations.read()).queues, {
          json,
          empty: 'There are no queues: runs live in this process only.',
          head: queueHead,
          row: queueRow,
        }),
      ),
    );
  for (const [verb, description] of Object.entries(verbs))
    queues
      .command(verb)
      .description(description)
      .addHelpText('after', `\nExample:\n  millrace queues ${verb} default`)
      .argument('<queue>', 'name of the queue')
      .option('--json', 'print {name, paused, waiting, …}')
      .action((queue: string, { json }: { json?: boolean }) =>
        withSession(cli, {}, async ({ millrace: { operations } }) => {
          const changed = await (verb === 'pause' ? operations.pauseQueue(queue) : operations.resumeQueue(queue));
          if (json) cli.terminal.data(JSON.stringify(changed));
          else cli.terminal.say(`Queue ${changed.name} is ${changed.paused ? 'paused' : 'resumed'}.`);
        }),
      );
}

const verbs = {
  pause: 'start no further activations of a queue, of any tenant; active ones continue',
  resume: 'give the activations that wait in a paused queue to its workers',
} as const;

const queueHead = ['QUEUE', 'STATE', 'WAITING', 'ACTIVE', 'DELAYED', 'WORKERS'];

const queueRow = ({ name, paused, waiting, active, delayed, workers }: Queue): readonly string[] => [
  name,
  paused ? 'paused' : 'open',
  ...[waiting, active, delayed, workers].map(String),
];
