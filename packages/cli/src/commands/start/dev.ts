import type { Command } from 'commander';
import { Option } from 'commander';
import type { DevelopOptions } from '../../follow/develop.ts';
import { addInputOption, addWorkflowOptions } from '../../options/run-options.ts';
import type { Cli } from '../../process/cli.ts';

interface DevFlags extends Omit<DevelopOptions, 'variables'> {
  readonly var?: string[];
}

/** `millrace dev`: runs a workflow in memory after each save. */
export function addDev(program: Command, cli: Cli): void {
  const command = program
    .command('dev')
    .description('run a workflow in memory, and again whenever it is saved, until Ctrl-C')
    .argument('<file>', 'the workflow; the files that it includes, and those of the options, are watched, too');
  addWorkflowOptions(addInputOption(command))
    .addOption(new Option('--local', 'accepted as in `run`: runs are in memory in any case').hideHelp())
    .option('--json', 'print {runId, status, output, outputs, data, dataByNode, usage, error} after each run')
    .addHelpText('after', '\nExample: millrace dev poem.yaml --script poem.script.yaml --input "The moon"')
    .action(async (file: string, { var: assignments, ...options }: DevFlags) => {
      const [{ develop }, { parseAssignments }] = await Promise.all([
        import('../../follow/develop.ts'),
        import('../../workflow/text-argument.ts'),
      ]);
      await develop(cli, file, { ...options, variables: parseAssignments(assignments ?? []) });
    });
}
