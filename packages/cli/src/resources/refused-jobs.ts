import type { IntakeResource, RefusedJob } from '@millrace/client';
import { withSession } from '../client/session.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { refusalIn } from '../exit/refusal.ts';
import { columns } from '../output/tables/columns.ts';
import type { Cli } from '../process/cli.ts';
import { all } from '../requests/first.ts';

/** Prints the refused jobs of the intake queue. */
export async function listRefused(cli: Cli, json: boolean): Promise<void> {
  await withIntake(cli, async (intake) => {
    const jobs = await all(intake.refused());
    if (json) cli.terminal.data(JSON.stringify(jobs, null, 2));
    else if (jobs.length === 0) cli.terminal.say('No job was refused.');
    else cli.terminal.data(columns(['JOB', 'REFUSED', 'REASON'], jobs.map(lineOf)));
  });
}

/** Takes one refused job again, or all of them. */
export async function retryRefused(
  cli: Cli,
  { id, all: everything, json }: { readonly id: string | undefined; readonly all: boolean; readonly json: boolean },
): Promise<void> {
  if ((id === undefined) !== everything) throw new CommandError(exitCodes.invalid, 'Give the id of a job, or --all.');
  await withIntake(cli, async (intake) => {
    const ids = id === undefined ? (await all(intake.refused())).map((job) => job.id) : [id];
    for (const one of ids) {
      await intake.retry(one).catch((error: unknown) => {
        // Of all, one may have been taken meanwhile.
        if (!everything || !isUnknown(error)) throw error;
      });
    }
    if (json) cli.terminal.data(JSON.stringify({ ids }));
    else cli.terminal.say(ids.length === 1 ? `${ids[0]} is queued again.` : `${ids.length} jobs are queued again.`);
  });
}

/** Forgets a refused job. */
export async function dropRefused(
  cli: Cli,
  { id, json }: { readonly id: string; readonly json: boolean },
): Promise<void> {
  await withIntake(cli, async (intake) => void (await intake.drop(id)));
  if (json) cli.terminal.data(JSON.stringify({ ids: [id] }));
  else cli.terminal.say(`${id} is dropped.`);
}

const withIntake = (cli: Cli, use: (intake: IntakeResource) => Promise<void>): Promise<void> =>
  withSession(cli, {}, ({ millrace }) => use(millrace.intake));

const lineOf = ({ id, refusedAt, reason }: RefusedJob): string[] => [
  id,
  new Date(refusedAt).toISOString(),
  reason.split('\n', 1)[0] ?? '',
];

const isUnknown = (error: unknown): boolean => refusalIn(error)?.code === 'INTAKE_UNKNOWN';
