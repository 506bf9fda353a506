import type { Command } from 'commander';
import { reportMissingWorkers, withSession } from '../../client/session.ts';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import { addAttachOption } from '../../options/run-options.ts';
import type { Cli } from '../../process/cli.ts';
import { attachFiles } from '../../requests/attachments.ts';
import { describe, resolveRun } from '../../requests/resolve-run.ts';
import { fieldsIn, readTextArgument } from '../../workflow/text-argument.ts';

interface AnswerFlags {
  readonly data?: string;
  readonly empty?: boolean;
  readonly attach?: readonly string[];
  readonly json?: boolean;
}

interface AnswerRequest extends Required<Omit<AnswerFlags, 'data'>> {
  readonly target: string;
  readonly content: { readonly text: string } | { readonly data: Readonly<Record<string, unknown>> };
}

/** `millrace answer`: answers a question of a run. */
export function addAnswer(program: Command, cli: Cli): void {
  addAttachOption(program.command('answer'), 'answer')
    .description('answer an open question; a run with one open question needs only its own id')
    .addHelpText(
      'after',
      '\nExample:\n  millrace answer run_0199a1b2 "Shorter, please."\n  millrace answer run_0199a1b2 --data \'{"verdict": "accept"}\'',
    )
    .argument('<run|task>', 'id of the run, or the beginning of it, or id of the question: RUN.ACTIVATION')
    .argument('[text]', 'the answer: a text, @FILE, or - for standard input')
    .option('--data <json>', 'the answer to a question with a schema: a JSON object, @FILE, or - for standard input')
    .option('--empty', 'accept an empty text as the answer')
    .option('--json', 'print {runId, task}')
    .action(async (target: string, text: string | undefined, flags: AnswerFlags) => {
      const { attach = [], empty = false, json = false } = flags;
      await answer(cli, { target, content: await contentOf(text, flags), attach, empty, json });
    });
}

/** Returns the answer: a text, or data. */
async function contentOf(text: string | undefined, { data }: AnswerFlags): Promise<AnswerRequest['content']> {
  if ((text === undefined) === (data === undefined))
    throw new CommandError(exitCodes.invalid, 'Write the answer: either a text, or --data with a JSON object.');
  if (data === undefined) return { text: await readTextArgument(text ?? '') };
  return { data: fieldsIn(await readTextArgument(data), '--data') };
}

async function answer(cli: Cli, request: AnswerRequest): Promise<void> {
  const { run: named, activation } = parseTarget(request.target);
  const { content } = request;
  if ('text' in content && content.text.trim() === '' && request.attach.length === 0 && !request.empty)
    await refuseEmpty();
  await withSession(cli, {}, async (session) => {
    const run = await resolveRun(session, named);
    const target = activation === undefined ? run : `${run}.${activation}`;
    const { tasks } = await describe(session, run);
    const task = activation === undefined && tasks.length === 1 ? tasks[0] : tasks.find(({ id }) => id === target);
    if (task === undefined && activation === undefined && tasks.length > 1) {
      const list = tasks.map(({ id, node }) => `  ${id}  ${node}`).join('\n');
      throw new CommandError(exitCodes.invalid, `${run} has several open questions; name the one you answer:\n${list}`);
    }
    if (task === undefined && activation === undefined) await refuseUnasked(run);
    const { millrace } = session;
    const attachments = await attachFiles(millrace, request.attach);
    // For a question that is not open, the refusal states the reason.
    await millrace.tasks.answer(task?.id ?? target, { ...content, attachments });
    if (request.json) cli.terminal.data(JSON.stringify({ runId: run, task: task?.id ?? target }));
    cli.terminal.say(`Answered. Follow the run with: millrace watch ${run}`);
    await reportMissingWorkers(session);
  });
}

/** Refuses an empty answer: it usually comes from an unset variable of a script, and an answer is final. */
async function refuseEmpty(): Promise<never> {
  const { RequestError } = await import('@millrace/core');
  throw new RequestError(
    'ANSWER_EMPTY',
    'The answer is empty, and the question stays open. Write a text, or add --empty to answer with nothing.',
  );
}

async function refuseUnasked(run: string): Promise<never> {
  const { ApiProblem } = await import('@millrace/client');
  throw new ApiProblem({ status: 404, code: 'TASK_UNKNOWN', detail: `Run ${run} does not wait for an answer.` });
}

/** Parses `RUN` or `RUN.aN`. */
function parseTarget(target: string): { run: string; activation?: string } {
  const [run = '', activation, ...rest] = target.split('.');
  if (activation === undefined) return { run };
  if (rest.length > 0 || !/^a\d+$/.test(activation)) {
    throw new CommandError(
      exitCodes.invalid,
      `"${target}" is neither a run nor a question: write RUN or RUN.ACTIVATION.`,
    );
  }
  return { run, activation };
}
