import type { ActivationId } from '@millrace/core';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { CommandError, exitCodes } from '../exit.ts';

/** `millrace answer`: answers a question of a run. */
export function addAnswer(program: Command, cli: Cli): void {
  program
    .command('answer')
    .description('answer an open question; a run with one question needs only its own id')
    .argument('<run|task>', 'the id of the run, or of the question: RUN.ACTIVATION')
    .argument('<text>', 'the answer: a text, @FILE, or - for standard input')
    .option('--json', 'print {runId, task}')
    .action(async (target: string, text: string, { json }: { json?: boolean }) =>
      answer(cli, { target, text, json: json === true }),
    );
}

async function answer(cli: Cli, request: { target: string; text: string; json: boolean }): Promise<void> {
  const { describe } = await import('../follow.ts');
  const { sayWhenIdle, withSession } = await import('../session.ts');
  const { readTextArgument } = await import('../text-argument.ts');
  const { textMessage } = await import('@millrace/core');
  const { run, activation } = parseTarget(request.target);
  const text = await readTextArgument(request.text);
  await withSession(cli, {}, async (session) => {
    const { tasks } = await describe(session, run);
    const task =
      activation === undefined && tasks.length === 1 ? tasks[0] : tasks.find((open) => open.activation === activation);
    if (task === undefined && activation === undefined && tasks.length > 1) {
      const list = tasks.map(({ id, node }) => `  ${id}  ${node}`).join('\n');
      throw new CommandError(exitCodes.invalid, `${run} has several open questions; name the one you answer:\n${list}`);
    }
    // Without an open question the runtime says why, in its own words.
    await session.runtime.runs.answer(run, task?.activation ?? activation, textMessage('user', text, task?.node ?? ''));
    if (request.json) cli.terminal.data(JSON.stringify({ runId: run, task: task?.id ?? request.target }));
    cli.terminal.say(`Answered. Follow the run with: millrace watch ${run}`);
    await sayWhenIdle(session);
  });
}

/** `RUN` or `RUN.aN`. */
function parseTarget(target: string): { run: string; activation?: ActivationId } {
  const [run = '', activation, ...rest] = target.split('.');
  if (activation === undefined) return { run };
  if (rest.length > 0 || !/^a\d+$/.test(activation)) {
    throw new CommandError(
      exitCodes.invalid,
      `"${target}" is neither a run nor a question: write RUN or RUN.ACTIVATION.`,
    );
  }
  // The pattern above is that of an activation's id.
  return { run, activation: activation as ActivationId };
}
