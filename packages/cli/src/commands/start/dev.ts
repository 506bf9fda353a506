import type { Command } from 'commander';
import { Option } from 'commander';
import type { LocalSession } from '../../client/session.ts';
import type { DevelopOptions } from '../../follow/develop.ts';
import { addInputOption, addWorkflowOptions } from '../../options/run-options.ts';
import { defaultPort } from '../../options/server-options.ts';
import type { Cli } from '../../process/cli.ts';

interface DevFlags extends Omit<DevelopOptions, 'variables' | 'onOpen'> {
  readonly var?: string[];
  readonly ui?: boolean;
}

/** `millrace dev`: runs a workflow in memory after each save. */
export function addDev(program: Command, cli: Cli): void {
  const command = program
    .command('dev')
    .description('run a workflow in memory, and again whenever it is saved, until Ctrl-C')
    .argument('<file>', 'the workflow; the files that it includes, and those of the options, are watched, too');
  addWorkflowOptions(addInputOption(command))
    .addOption(new Option('--local', 'accepted as in `run`: runs are in memory in any case').hideHelp())
    .option('--ui', 'serve the dashboard as well; it shows the runs of all attempts')
    .option('--json', 'print {runId, status, output, outputs, data, dataByNode, usage, error} after each run')
    .addHelpText('after', '\nExample:\n  millrace dev poem.yaml --script poem.script.yaml --input "The moon"')
    .action(async (file: string, { var: assignments, ui, ...options }: DevFlags) => {
      const [{ develop }, { parseAssignments }] = await Promise.all([
        import('../../follow/develop.ts'),
        import('../../workflow/text-argument.ts'),
      ]);
      await develop(cli, file, {
        ...options,
        variables: parseAssignments(assignments ?? []),
        ...(ui === true ? { onOpen: (session) => serveDashboard(session, options.json === true) } : {}),
      });
    });
}

/** Serves the dashboard with the runs of a session. */
async function serveDashboard(session: LocalSession, json: boolean): Promise<void> {
  const [{ embedApi }, { openServiceLog }] = await Promise.all([
    import('../../serve/embed-api.ts'),
    import('../../output/log.ts'),
  ]);
  await embedApi(session, { port: { from: defaultPort } }, await openServiceLog(session.cli, { level: 'warn', json }));
}
