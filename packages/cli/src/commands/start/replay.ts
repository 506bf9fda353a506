import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { Option } from 'commander';
import { withSession } from '../../client/session.ts';
import { collect, durationArgument } from '../../options/arguments.ts';
import type { BudgetFlags } from '../../options/run-options.ts';
import { addBudgetOptions, addEnvironmentOption, budgetOf } from '../../options/run-options.ts';
import type { Cli } from '../../process/cli.ts';

interface ReplayFlags extends ChangeFlags, BudgetFlags {
  readonly liveFrom?: string;
  readonly file?: string;
  readonly mode?: 'strict' | 'position' | 'reuse';
  /** In milliseconds. */
  readonly ttl?: number;
  readonly detach?: boolean;
  readonly json?: boolean;
}

/** Options for another workflow. */
interface ChangeFlags {
  readonly workflow?: string;
  readonly set?: readonly string[];
  readonly allowEnv?: readonly string[];
}

/** `millrace replay`: repeats a run with the steps of its journal. */
export function addReplay(program: Command, cli: Cli): void {
  const command = program.command('replay');
  addEnvironmentOption(addBudgetOptions(command))
    .description('repeat a finished run with the results of models, tools and people in its journal')
    .addHelpText(
      'after',
      `
Modes:
  strict    a call that is not recorded fails the run (default)
  position  calls take the recorded results of their places, whatever they ask
  reuse     calls that are not recorded are made, except for those of tools

Example:
  millrace replay run_0199a1b2 --live-from a7
  millrace replay run_0199a1b2 --workflow changed.yaml --mode reuse`,
    )
    .argument('[run]', 'id of the run, or the beginning of it')
    .option('--file <path>', 'replay a run that was archived before its removal')
    .addOption(
      new Option(
        '--live-from <activation>',
        'execute this activation, or that of this node, and those that became ready after it, again',
      ).conflicts(['mode', 'workflow', 'set']),
    )
    .option('--workflow <file|name>', 'repeat the task under another workflow')
    .option('--set <name=value>', 'another value for a variable of the workflow; may be repeated', collect)
    .addOption(new Option('--mode <mode>', 'use of the recorded results').choices(['strict', 'position', 'reuse']))
    .option('--ttl <duration>', 'remove the replay so long after its start, and do not list it', durationArgument)
    .option('--detach', 'do not wait for the end')
    .option('--json', 'print {runId, status, output, outputs, data, dataByNode, usage, error}')
    .action(async (run: string | undefined, { liveFrom, file, mode, ttl, detach, json, ...flags }: ReplayFlags) => {
      const { replayRun, runSource, sourceName } = await import('../../requests/run-source.ts');
      const source = runSource(run, file);
      const request = {
        ...omitUndefined({ liveFrom, mode, budget: budgetOf(flags) }),
        ...(ttl === undefined ? {} : { ttlSeconds: ttl / 1000 }),
        ...(await changesOf(cli, flags)),
      };
      const { followToEnd } = await import('../../follow/follow-to-end.ts');
      await withSession(cli, { throughOutages: true }, async (session) => {
        const replay = await replayRun(session, source, request);
        cli.terminal.say(`▶ ${replay} replays ${sourceName(source)}`, 'bold');
        await followToEnd(session, replay, omitUndefined({ detach, json }));
      });
    });
}

/** Returns the other workflow of the replay as the API accepts it. */
async function changesOf(cli: Cli, { workflow, set, allowEnv }: ChangeFlags) {
  const { changedWorkflow } = await import('../../requests/run-template.ts');
  return changedWorkflow(cli, omitUndefined({ workflow, set, allowedEnvironment: allowEnv }));
}
