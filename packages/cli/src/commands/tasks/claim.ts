import type { Command } from 'commander';
import { withSession } from '../../client/session.ts';
import { durationArgument } from '../../options/arguments.ts';
import type { Cli } from '../../process/cli.ts';

interface ClaimFlags {
  readonly as: string;
  /** Duration of the claim, in milliseconds. */
  readonly for?: number;
  readonly json?: boolean;
}

/** `millrace claim`: prevents other people from answering a question for some time. */
export function addClaim(program: Command, cli: Cli): void {
  program
    .command('claim')
    .description('claim an open question, so that other people do not answer it for a while')
    .addHelpText('after', '\nExample:\n  millrace claim run_0199a1b2.a3 --as ann --for 10m')
    .argument('<task>', 'id of the question, such as RUN.ACTIVATION')
    .requiredOption('--as <name>', 'who claims it')
    .option('--for <duration>', 'how long, as in 90s or 10m (default: 10m)', durationArgument)
    .option('--json', 'print {id, status, assignee, claimedUntil, …}')
    .action(async (task: string, { as, for: ms, json }: ClaimFlags) => {
      await withSession(cli, {}, async ({ millrace }) => {
        const seconds = ms === undefined ? {} : { seconds: Math.ceil(ms / 1000) };
        const claimed = await millrace.tasks.claim(task, { assignee: as, ...seconds });
        if (json) cli.terminal.data(JSON.stringify(claimed));
        else cli.terminal.say(`${as} has claimed ${task}. Answer it with: millrace answer ${task} TEXT`);
      });
    });
}

/** `millrace release`: releases the claim of a question. */
export function addRelease(program: Command, cli: Cli): void {
  program
    .command('release')
    .description('release a question that you have claimed')
    .addHelpText('after', '\nExample:\n  millrace release run_0199a1b2.a3 --as ann')
    .argument('<task>', 'id of the question, such as RUN.ACTIVATION')
    .requiredOption('--as <name>', 'who has claimed it')
    .option('--json', 'print {id, status, …}')
    .action(async (task: string, { as, json }: ClaimFlags) => {
      await withSession(cli, {}, async ({ millrace }) => {
        const released = await millrace.tasks.release(task, as);
        if (json) cli.terminal.data(JSON.stringify(released));
        else cli.terminal.say(`${task} is released.`);
      });
    });
}
