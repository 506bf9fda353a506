import type { Run, RunHandle } from '@millrace/client';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { Option } from 'commander';
import { reportMissingWorkers, withSession } from '../../client/session.ts';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import type { BudgetFlags } from '../../options/run-options.ts';
import { addBudgetOptions, budgetOf } from '../../options/run-options.ts';
import type { Cli } from '../../process/cli.ts';
import { resolveRun, rethrowUnknownRun } from '../../requests/resolve-run.ts';
import { readTextArgument } from '../../workflow/text-argument.ts';

/** `millrace pause`: pauses a run. */
export const addPause = (program: Command, cli: Cli): void =>
  void addControl(program, 'pause')
    .description('pause a run; executing activations may finish')
    .option('--json', 'print {runId, status}')
    .action((run: string, { json }: JsonFlag) => control(cli, run, json, (one) => one.pause()));

/** `millrace retry`: continues a failed run. */
export const addRetry = (program: Command, cli: Cli): void =>
  void addControl(program, 'retry')
    .description('continue a failed run from its failures; finished work is kept')
    .option('--json', 'print {runId, status}')
    .action((run: string, { json }: JsonFlag) => control(cli, run, json, (one) => one.retry()));

/** `millrace cancel`: ends a run. */
export const addCancel = (program: Command, cli: Cli): void =>
  void addControl(program, 'cancel', ' --reason "wrong input"')
    .description('end a run permanently and abort executing activations')
    .option('--reason <text>', 'reason, which is kept in the journal', 'cancelled on the command line')
    .option('--json', 'print {runId, status}')
    .action((run: string, { reason, json }: JsonFlag & { readonly reason: string }) =>
      control(cli, run, json, (one) => one.cancel(reason)),
    );

interface JsonFlag {
  readonly json?: boolean;
}

const addControl = (program: Command, name: string, example = ''): Command =>
  program
    .command(name)
    .addHelpText('after', `\nExample:\n  millrace ${name} run_0199a1b2${example}`)
    .argument('<run>', 'id of the run, or the beginning of it');

/** Performs an action on a run, and prints the resulting status of the run. */
const control = (
  cli: Cli,
  named: string,
  json: boolean | undefined,
  perform: (run: RunHandle) => Promise<Run>,
): Promise<void> =>
  withSession(cli, {}, async (session) => {
    const run = await resolveRun(session, named);
    const { status } = await perform(session.millrace.runs.get(run)).catch(rethrowUnknownRun(run));
    if (json) cli.terminal.data(JSON.stringify({ runId: run, status }));
    else cli.terminal.say(`${run} is ${status}.`);
    if (status === 'running' || status === 'stopping') await reportMissingWorkers(session);
  });

interface ResumeFlags extends BudgetFlags, JsonFlag {
  readonly input?: string;
  readonly to?: string;
}

/** `millrace resume`: continues a run. */
export function addResume(program: Command, cli: Cli): void {
  addBudgetOptions(addControl(program, 'resume', ' --input "Add a title."'))
    .description('continue a run that is paused, stopped or failed, or give a completed run a further task')
    .option(
      '--input <text>',
      'message to the nodes that continue, or the further task: a text, @FILE, or - for standard input',
    )
    .option(
      '--to <node>',
      'node that continues with the input, such as after a handoff to a person or program outside of the graph',
    )
    .option('--json', 'print {runId, status}')
    .action(async (run: string, { input, to, json, ...budgetFlags }: ResumeFlags) => {
      const text = input === undefined ? undefined : await readTextArgument(input);
      const options = omitUndefined({ input: text, budget: budgetOf(budgetFlags), to });
      await control(cli, run, json, (one) => one.resume(options));
    });
}

interface StopFlags extends JsonFlag {
  readonly mode: 'graceful' | 'cancel';
  readonly note: string;
  readonly scope?: string;
}

/** `millrace stop`: stops a run so that it can be resumed. */
export function addStop(program: Command, cli: Cli): void {
  addControl(program, 'stop', ' --mode cancel')
    .description('stop a run so that `millrace resume` can continue it')
    .addOption(
      new Option(
        '--mode <mode>',
        'graceful: executing activations may finish; cancel: they are aborted and repeated later',
      )
        .choices(['graceful', 'cancel'])
        .default('graceful'),
    )
    .option('--note <text>', 'reason, which is kept in the journal', 'stopped on the command line')
    .option('--scope <name>', 'stop only this named scope; the run continues after it')
    .option('--json', 'print {runId, status}')
    .action((run: string, { json, ...options }: StopFlags) => control(cli, run, json, (one) => one.stop(options)));
}

interface SignalFlags extends JsonFlag {
  readonly note?: string;
  readonly data?: string;
  readonly id?: string;
}

/** `millrace signal`: sends a signal to the nodes and terminations of a run that wait for it. */
export function addSignal(program: Command, cli: Cli): void {
  addControl(program, 'signal', ' paid --data \'{"order": 17}\' --id payment-1')
    .description('send a run a signal that one of its nodes or terminations waits for')
    .argument('[name]', 'name of the signal', 'external')
    .option('--data <json>', 'data of the event, for a node that waits for it: JSON, @FILE, or - for standard input')
    .option('--id <id>', 'id of the event; the run accepts each id of a name once')
    .option('--note <text>', 'reason, which is kept in the journal')
    .option('--json', 'print {runId, status}')
    .action(async (run: string, name: string, { note, data, id, json }: SignalFlags) => {
      const parsed = data === undefined ? {} : { data: parseJson(await readTextArgument(data)) };
      await control(cli, run, json, (one) => one.signal(name, { note, eventId: id, ...parsed }));
    });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(
      exitCodes.invalid,
      `--data is not JSON: ${error instanceof Error ? error.message : String(error)} Write a text in double quotes, as in --data '"yes"'.`,
      { cause: error },
    );
  }
}

/** `millrace rm`: removes a run. */
export const addRm = (program: Command, cli: Cli): void =>
  void addControl(program, 'rm')
    .description('remove a run that has ended, with all of its data')
    .option('--json', 'print {runId}')
    .action((named: string, { json }: JsonFlag) =>
      withSession(cli, {}, async (session) => {
        const run = await resolveRun(session, named);
        await session.millrace.runs.get(run).remove();
        if (json) cli.terminal.data(JSON.stringify({ runId: run }));
        else cli.terminal.say(`${run} is removed.`);
      }),
    );
