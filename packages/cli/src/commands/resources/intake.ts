import type { RefusedJob } from '@millrace/client';
import type { Command } from 'commander';
import { withSession } from '../../client/session.ts';
import { CommandError, exitCodes, refusalIn } from '../../exit/exit.ts';
import { printList } from '../../output/print-list.ts';
import type { Cli } from '../../process/cli.ts';
import { all } from '../../requests/pages.ts';

/** `millrace intake`: lists, retries and removes refused jobs of the intake queue. */
export function addIntake(program: Command, cli: Cli): void {
  const intake = program
    .command('intake')
    .description('list, retry and drop refused jobs of the intake queue')
    .addHelpText('after', '\nExample:\n  millrace intake list');
  intake
    .command('list')
    .description('list refused jobs, newest first, with the reason')
    .addHelpText('after', '\nExample:\n  millrace intake list')
    .option('--json', 'print a JSON array with the data of the jobs')
    .action(({ json }: { json?: boolean }) =>
      withSession(cli, {}, async ({ millrace }) =>
        printList(cli.terminal, await all(millrace.intake.refused()), {
          json,
          empty: 'No job was refused.',
          head: ['JOB', 'REFUSED', 'REASON'],
          row: rowOf,
        }),
      ),
    );
  intake
    .command('retry')
    .description('retry refused jobs')
    .addHelpText('after', '\nExample:\n  millrace intake retry order-4711')
    .argument('[id]', 'id of a job')
    .option('--all', 'all refused jobs')
    .option('--json', 'print {ids}')
    .action((id: string | undefined, flags: RetryFlags) => retry(cli, id, flags));
  intake
    .command('drop')
    .description('remove a refused job, so that another job can have its id')
    .addHelpText('after', '\nExample:\n  millrace intake drop order-4711')
    .argument('<id>', 'id of the job')
    .option('--json', 'print {ids}')
    .action((id: string, { json }: { json?: boolean }) =>
      withSession(cli, {}, async ({ millrace }) => {
        await millrace.intake.drop(id);
        if (json) cli.terminal.data(JSON.stringify({ ids: [id] }));
        else cli.terminal.say(`${id} is dropped.`);
      }),
    );
}

const rowOf = ({ id, refusedAt, reason }: RefusedJob): readonly string[] => [
  id,
  new Date(refusedAt).toISOString(),
  reason.split('\n', 1)[0] ?? '',
];

interface RetryFlags {
  readonly all?: boolean;
  readonly json?: boolean;
}

async function retry(cli: Cli, id: string | undefined, { all: isAll = false, json }: RetryFlags): Promise<void> {
  if ((id === undefined) !== isAll) throw new CommandError(exitCodes.invalid, 'Give the id of a job, or --all.');
  await withSession(cli, {}, async ({ millrace: { intake } }) => {
    const ids = id === undefined ? (await all(intake.refused())).map((job) => job.id) : [id];
    for (const one of ids) {
      await intake.retry(one).catch((error: unknown) => {
        // Another process may have retried one of them meanwhile.
        if (!isAll || refusalIn(error)?.code !== 'INTAKE_UNKNOWN') throw error;
      });
    }
    if (json) cli.terminal.data(JSON.stringify({ ids }));
    else cli.terminal.say(ids.length === 1 ? `${ids[0]} is queued again.` : `${ids.length} jobs are queued again.`);
  });
}
