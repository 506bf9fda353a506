import { withSession } from '../client/session.ts';
import { columns } from '../output/tables/columns.ts';
import type { Cli } from '../process/cli.ts';
import { first } from '../requests/first.ts';

/** Prints the last times of a schedule and their outcomes, newest first. */
export async function listTicks(
  cli: Cli,
  { id, limit, json }: { readonly id: string; readonly limit: number; readonly json?: boolean },
): Promise<void> {
  await withSession(cli, {}, async ({ millrace: { schedules } }) => {
    const ticks = await first(limit, schedules.ticks(id));
    if (json === true) cli.terminal.data(JSON.stringify(ticks, null, 2));
    else if (ticks.length === 0) cli.terminal.say('This schedule has had no scheduled time yet.');
    else
      cli.terminal.data(
        columns(
          ['TIME', 'OUTCOME', 'RUN', 'ERROR'],
          ticks.map(({ at, outcome, runId = '', error }) => [
            new Date(at).toISOString(),
            outcome,
            runId,
            error === undefined ? '' : `${error.message} [${error.code}]`,
          ]),
        ),
      );
  });
}

/** Prints the next times of a cron expression. */
export async function previewTimes(
  cli: Cli,
  { cron, timezone, json }: { readonly cron: string; readonly timezone: string; readonly json?: boolean },
): Promise<void> {
  await withSession(cli, {}, async ({ millrace: { schedules } }) => {
    const preview = await schedules.preview({ cron, timezone });
    if (json === true) return cli.terminal.data(JSON.stringify(preview, null, 2));
    cli.terminal.say(`${preview.sentence} (${timezone}). The next times, in UTC:`);
    cli.terminal.data(preview.times.map((at) => new Date(at).toISOString()).join('\n'));
  });
}
