import { RequestError } from '@millrace/core';
import type { Intake, RefusedJob } from '@millrace/runtime';
import type { Cli } from './cli.ts';
import { columns } from './columns.ts';
import { CommandError, exitCodes } from './exit.ts';
import { withMachine } from './session.ts';

const pageSize = 100;

/** Prints the refused jobs of the intake queue. */
export async function listRefused(cli: Cli, json: boolean): Promise<void> {
  await withMachine(cli, 'intake', async ({ machine: { runtime } }) => {
    const jobs = await allRefused(runtime.intake);
    if (json) cli.terminal.data(JSON.stringify(jobs, null, 2));
    else if (jobs.length === 0) cli.terminal.say('No job was refused.');
    else cli.terminal.data(columns(['JOB', 'REFUSED', 'REASON'], jobs.map(lineOf)));
  });
}

/** Takes one refused job again, or all of them. */
export async function retryRefused(
  cli: Cli,
  { id, all, json }: { readonly id: string | undefined; readonly all: boolean; readonly json: boolean },
): Promise<void> {
  if ((id === undefined) !== all) throw new CommandError(exitCodes.invalid, 'Give the id of a job, or --all.');
  await withMachine(
    cli,
    'intake',
    async ({
      machine: {
        runtime: { intake },
      },
    }) => {
      const ids = id === undefined ? (await allRefused(intake)).map((job) => job.id) : [id];
      for (const one of ids) if (!(await intake.retry(one)) && !all) throw unknownJob(one);
      if (json) cli.terminal.data(JSON.stringify({ ids }));
      else cli.terminal.say(ids.length === 1 ? `${ids[0]} is taken again.` : `${ids.length} jobs are taken again.`);
    },
  );
}

/** Forgets a refused job. */
export async function dropRefused(
  cli: Cli,
  { id, json }: { readonly id: string; readonly json: boolean },
): Promise<void> {
  await withMachine(
    cli,
    'intake',
    async ({
      machine: {
        runtime: { intake },
      },
    }) => {
      if (!(await intake.drop(id))) throw unknownJob(id);
      if (json) cli.terminal.data(JSON.stringify({ ids: [id] }));
      else cli.terminal.say(`${id} is dropped.`);
    },
  );
}

async function allRefused(intake: Intake): Promise<readonly RefusedJob[]> {
  const found: RefusedJob[] = [];
  for (;;) {
    const page = await intake.refused(found.length, pageSize);
    found.push(...page);
    if (page.length < pageSize) return found;
  }
}

const lineOf = ({ id, refusedAt, reason }: RefusedJob): string[] => [
  id,
  new Date(refusedAt).toISOString(),
  reason.split('\n', 1)[0] ?? '',
];

const unknownJob = (id: string): RequestError =>
  new RequestError('INTAKE_UNKNOWN', `There is no refused job ${id} on the intake queue.`);
