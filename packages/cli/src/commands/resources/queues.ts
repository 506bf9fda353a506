import type { Command } from 'commander';
import type { Cli } from '../../process/cli.ts';

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
    .action(async ({ json }: { json?: boolean }) => {
      const { listQueues } = await import('../../resources/operations.ts');
      await listQueues(cli, json === true);
    });
  for (const [verb, description] of Object.entries(verbs))
    queues
      .command(verb)
      .description(description)
      .addHelpText('after', `\nExample:\n  millrace queues ${verb} default`)
      .argument('<queue>', 'name of the queue')
      .option('--json', 'print {name, paused, waiting, …}')
      .action(async (queue: string, { json }: { json?: boolean }) => {
        const { pauseQueue } = await import('../../resources/operations.ts');
        await pauseQueue(cli, { queue, isPaused: verb === 'pause', json: json === true });
      });
}

const verbs = {
  pause: 'start no further activations of a queue, of any tenant; active ones continue',
  resume: 'give the activations that wait in a paused queue to its workers',
} as const;
