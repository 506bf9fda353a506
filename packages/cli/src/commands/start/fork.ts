import type { ForkPreview } from '@millrace/client';
import { formatDollars } from '@millrace/core/budget';
import { omitUndefined } from '@millrace/core/omit-undefined';
import { tokensOf } from '@millrace/core/usage';
import type { Command } from 'commander';
import { Option } from 'commander';
import { withSession } from '../../client/session.ts';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import { collect } from '../../options/arguments.ts';
import { addEnvironmentOption } from '../../options/run-options.ts';
import type { Cli } from '../../process/cli.ts';
import type { RunSource } from '../../requests/run-source.ts';
import { readTextArgument } from '../../workflow/text-argument.ts';

interface ForkFlags extends ChangeFlags {
  readonly at: string;
  readonly file?: string;
  readonly preview?: boolean;
  readonly detach?: boolean;
  readonly json?: boolean;
}

/** Options for the differences of the fork. */
interface ChangeFlags {
  readonly output?: string;
  readonly input?: string;
  readonly set?: readonly string[];
  readonly prompt?: string;
  readonly model?: string;
  readonly workflow?: string;
  readonly allowEnv?: readonly string[];
}

/** `millrace fork`: starts a run that shares the history of another run. */
export function addFork(program: Command, cli: Cli): void {
  const command = program.command('fork');
  addEnvironmentOption(command)
    .description('start a run that shares the history of another one up to an activation')
    .addHelpText(
      'after',
      `
Texts are written as they are, as @FILE, or as - for standard input.

Example:
  millrace fork run_0199a1b2 --at a7 --output "Another draft."
  millrace fork run_0199a1b2 --at a7 --prompt @role.md --model gpt-6-sol
  millrace fork run_0199a1b2 --at a7 --preview`,
    )
    .argument('[run]', 'id of the run, or the beginning of it')
    .option('--file <path>', 'fork a run that was archived before its removal')
    .requiredOption(
      '--at <activation>',
      'activation up to which the history is shared, such as a7, or its node if that has run once',
    )
    .option('--output <text>', 'output of the activation (default: the activation is executed again)')
    .addOption(
      new Option('--input <text>', 'input of the activation, instead of the one that it had').conflicts('output'),
    )
    .option('--set <name=value>', 'another value for a variable of the workflow; may be repeated', collect)
    .option('--prompt <text>', 'another system prompt for the node of the activation')
    .option('--model <name>', 'another model for the node of the activation')
    .option('--workflow <file|name>', 'continue under another workflow, with the same nodes and edges')
    .option('--preview', 'start nothing; print the calls that would be kept, and those that would be paid again')
    .option('--detach', 'do not wait for the end')
    .option('--json', 'print {runId, status, output, outputs, data, dataByNode, usage, error}')
    .action(async (run: string | undefined, { at, file, preview, detach, json, ...changed }: ForkFlags) => {
      const { followToEnd } = await import('../../follow/follow-to-end.ts');
      const { forkRun, runSource, sourceName } = await import('../../requests/run-source.ts');
      const source = runSource(run, file);
      if (preview) return printPreview(cli, source, at, json);
      const changes = await changesOf(cli, changed);
      await withSession(cli, { throughOutages: true }, async (session) => {
        const fork = await forkRun(session, source, { at, ...changes });
        cli.terminal.say(`▶ ${fork} forks ${sourceName(source)} at ${at}`, 'bold');
        await followToEnd(session, fork, omitUndefined({ detach, json }));
      });
    });
}

/** Returns the differences of the fork as the API accepts them. */
async function changesOf(cli: Cli, { output, input, set, prompt, model, workflow, allowEnv }: ChangeFlags) {
  const { changedWorkflow } = await import('../../requests/run-template.ts');
  const read = async (text: string | undefined) => (text === undefined ? undefined : readTextArgument(text));
  return {
    ...omitUndefined({ output: await read(output), input: await read(input), prompt: await read(prompt), model }),
    ...(await changedWorkflow(cli, omitUndefined({ workflow, set, allowedEnvironment: allowEnv }))),
  };
}

/** Prints the preview of a fork. */
async function printPreview(cli: Cli, source: RunSource, at: string, json: boolean | undefined): Promise<void> {
  const { previewFork } = await import('../../requests/run-source.ts');
  if (typeof source !== 'string') throw new CommandError(exitCodes.invalid, '--preview needs a run that still exists.');
  await withSession(cli, {}, async (session) => {
    const preview = await previewFork(session, source, at);
    cli.terminal.data(json ? JSON.stringify(preview) : previewText(preview));
  });
}

/** Returns the preview of a fork as a text. */
function previewText({ kept, live, following, inherited, own, after }: ForkPreview): string {
  return [
    `kept, not paid again:   ${countOf(kept)}, ${usageOf(inherited)}`,
    `executed in the fork:   ${live.join(', ')}`,
    `decided again:          all later activations (${following} in this run)`,
    `paid again (estimate):  ${usageOf(own)} of the activation itself, unless --output is given`,
    `                        ${usageOf(after)} of later activations`,
  ].join('\n');
}

const countOf = (activations: number): string => (activations === 1 ? '1 activation' : `${activations} activations`);

function usageOf(usage: ForkPreview['own']): string {
  const { calls, microUsd } = usage;
  if (calls === 0) return 'no model calls';
  const cost = microUsd === undefined ? [] : [formatDollars(microUsd)];
  return [calls === 1 ? '1 call' : `${calls} calls`, `${tokensOf(usage)} tokens`, ...cost].join(', ');
}
