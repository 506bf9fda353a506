import type { IntakeResource as FarIntake } from '@millrace/client';
import { RequestError } from '@millrace/core';
import type { Intake, RefusedJob } from '@millrace/runtime';
import { localOrRemote } from '../client/local-or-remote.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { columns } from '../output/columns.ts';
import type { Cli } from '../process/cli.ts';

/** Prints the refused jobs of the intake queue. */
export async function listRefused(cli: Cli, json: boolean): Promise<void> {
  await withQuarantine(cli, async (quarantine) => {
    const jobs = await quarantine.all();
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
  await withQuarantine(cli, async (quarantine) => {
    const ids = id === undefined ? (await quarantine.all()).map((job) => job.id) : [id];
    for (const one of ids) {
      await quarantine.retry(one).catch((error: unknown) => {
        // Of all, one may have been taken meanwhile.
        if (!all || !isUnknown(error)) throw error;
      });
    }
    if (json) cli.terminal.data(JSON.stringify({ ids }));
    else cli.terminal.say(ids.length === 1 ? `${ids[0]} is taken again.` : `${ids.length} jobs are taken again.`);
  });
}

/** Forgets a refused job. */
export async function dropRefused(
  cli: Cli,
  { id, json }: { readonly id: string; readonly json: boolean },
): Promise<void> {
  await withQuarantine(cli, (quarantine) => quarantine.drop(id));
  if (json) cli.terminal.data(JSON.stringify({ ids: [id] }));
  else cli.terminal.say(`${id} is dropped.`);
}

/** The refused jobs that a command can reach. `retry` and `drop` throw when there is no such job. */
interface Quarantine {
  all(): Promise<readonly RefusedJob[]>;
  retry(id: string): Promise<void>;
  drop(id: string): Promise<void>;
}

/** Lends the refused jobs of all tenants, or of that of the key where they are behind an HTTP API. */
const withQuarantine = (cli: Cli, use: (quarantine: Quarantine) => Promise<void>): Promise<void> =>
  localOrRemote(cli, {
    remote: ({ intake }) => use(farQuarantine(intake)),
    local: ({ machine }) => use(nearQuarantine(machine.runtime.intake)),
  });

const nearQuarantine = (intake: Intake): Quarantine => ({
  async all() {
    const found: RefusedJob[] = [];
    for (;;) {
      const page = await intake.refused(found.length, pageSize);
      for (const job of page) found.push(job);
      if (page.length < pageSize) return found;
    }
  },
  async retry(id) {
    if (!(await intake.retry(id))) throw unknownJob(id);
  },
  async drop(id) {
    if (!(await intake.drop(id))) throw unknownJob(id);
  },
});

const farQuarantine = (intake: FarIntake): Quarantine => ({
  async all() {
    const found: RefusedJob[] = [];
    for await (const job of intake.refused()) found.push(job);
    return found;
  },
  retry: async (id) => void (await intake.retry(id)),
  drop: async (id) => void (await intake.drop(id)),
});

const pageSize = 100;

const lineOf = ({ id, refusedAt, reason }: RefusedJob): string[] => [
  id,
  new Date(refusedAt).toISOString(),
  reason.split('\n', 1)[0] ?? '',
];

const unknownJob = (id: string): RequestError =>
  new RequestError('INTAKE_UNKNOWN', `There is no refused job ${id} on the intake queue.`);

const isUnknown = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'INTAKE_UNKNOWN';
