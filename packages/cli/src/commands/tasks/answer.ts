import type { Task } from '@millrace/client';
import { questionPattern } from '@millrace/core/question-id';
import type { Command } from 'commander';
import type { Session } from '../../client/session.ts';
import { reportMissingWorkers, withSession } from '../../client/session.ts';
import { CommandError, exitCodes, refusalIn } from '../../exit/exit.ts';
import { fieldsOf } from '../../follow/prompt-form.ts';
import { promptTask } from '../../follow/question-prompter.ts';
import { addAttachOption } from '../../options/run-options.ts';
import { answerCommand, askedText, callText } from '../../output/question-text.ts';
import { shortLine } from '../../output/short-text.ts';
import type { Cli } from '../../process/cli.ts';
import { attachFiles } from '../../requests/attachments.ts';
import { describe, resolveRun } from '../../requests/resolve-run.ts';
import { fieldsIn, readTextArgument } from '../../workflow/text-argument.ts';

interface AnswerFlags {
  readonly approve?: boolean;
  readonly reject?: string | true;
  readonly arguments?: string;
  readonly data?: string;
  readonly empty?: boolean;
  readonly attach?: readonly string[];
  readonly json?: boolean;
}

type Content = { readonly text: string } | { readonly data: Readonly<Record<string, unknown>> };

interface AnswerRequest extends Required<Pick<AnswerFlags, 'attach' | 'empty' | 'json'>> {
  readonly target: string;
  /** Absent: the person at the terminal is asked. */
  readonly content: Content | undefined;
}

/** `millrace answer`: answers a question of a run. */
export function addAnswer(program: Command, cli: Cli): void {
  addAttachOption(program.command('answer'), 'answer')
    .description('answer an open question; a run with one open question needs only its own id')
    .addHelpText(
      'after',
      '\nExample:\n  millrace answer run_0199a1b2 "Shorter, please."\n  millrace answer run_0199a1b2 --data \'{"verdict": "accept"}\'\n  millrace answer run_0199a1b2.a3.1 --reject "Too much."',
    )
    .argument(
      '<run|task>',
      'id of the run, or the beginning of it, or id of the question: RUN.ACTIVATION, RUN.ACTIVATION-2, RUN.ACTIVATION.CALL or RUN.ACTIVATION.CALL-2',
    )
    .argument('[text]', 'the answer: a text, @FILE, or - for standard input; absent: you are asked in the terminal')
    .option('--data <json>', 'the answer to a question with a schema: a JSON object, @FILE, or - for standard input')
    .option('--approve', 'approve the call of a tool as it is')
    .option('--reject [reason]', 'reject the call of a tool; the model is told the reason')
    .option('--arguments <json>', 'approve the call of a tool with these arguments: a JSON object, @FILE, or -')
    .option('--empty', 'accept an empty text as the answer')
    .option('--json', 'print {runId, task}')
    .action(async (target: string, text: string | undefined, flags: AnswerFlags) => {
      const { attach = [], empty = false, json = false } = flags;
      await answer(cli, { target, content: await contentOf(cli, text, flags), attach, empty, json });
    });
}

/** Returns the answer: a text, data, or the decision on a call of a tool; undefined if there is a person to ask. */
async function contentOf(
  { terminal }: Cli,
  text: string | undefined,
  flags: AnswerFlags,
): Promise<Content | undefined> {
  const { data, approve, reject, arguments: edited } = flags;
  const given = [text, data, approve, reject, edited].filter((one) => one !== undefined);
  if (given.length === 0 && terminal.interactive) return undefined;
  if (given.length !== 1)
    throw new CommandError(
      exitCodes.invalid,
      'Write one answer: a text, --data with a JSON object, or --approve, --reject or --arguments for the call of a tool.',
    );
  if (text !== undefined) return { text: await readTextArgument(text) };
  if (data !== undefined) return { data: fieldsIn(await readTextArgument(data), '--data') };
  if (edited !== undefined)
    return { data: { decision: 'approve', arguments: fieldsIn(await readTextArgument(edited), '--arguments') } };
  if (approve) return { data: { decision: 'approve' } };
  return { data: { decision: 'reject', ...(typeof reject === 'string' ? { reason: reject } : {}) } };
}

async function answer(cli: Cli, request: AnswerRequest): Promise<void> {
  const { run: named, question } = parseTarget(request.target);
  const { content } = request;
  if (isText(content) && content.text.trim() === '' && request.attach.length === 0 && !request.empty)
    await refuseEmpty();
  await withSession(cli, {}, async (session) => {
    const run = await resolveRun(session, named);
    const task = await openTask(session, { run, question, isAsked: content === undefined });
    if (task !== undefined) assertAnswers(content, task, question !== undefined);
    const attachments = await attachFiles(session.millrace, request.attach);
    // For a question that is not open, the refusal states the reason.
    const id = task?.id ?? `${run}.${question}`;
    if (content === undefined && task !== undefined) await askPerson(session, task, attachments);
    else {
      if (task?.approval !== undefined) cli.terminal.say(callText(task.approval));
      await session.millrace.tasks.answer(id, { ...decided(content ?? { text: '' }, task), attachments });
    }
    if (request.json) cli.terminal.data(JSON.stringify({ runId: run, task: id }));
    cli.terminal.say(`Answered. Follow the run with: millrace watch ${run}`);
    await reportMissingWorkers(session);
  });
}

const isText = (content: Content | undefined): content is { readonly text: string } =>
  content !== undefined && 'text' in content;

/** Asks the person at the terminal until the answer is what the question asks for. */
async function askPerson({ cli, millrace }: Session, task: Task, attachments: readonly string[]): Promise<void> {
  for (;;) {
    const given = await promptTask(cli.terminal)(task, new AbortController().signal);
    if (given === undefined) throw declined();
    try {
      await millrace.tasks.answer(task.id, {
        ...(typeof given === 'string' ? { text: given } : given),
        attachments,
      });
      return;
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal?.code !== 'ANSWER_INVALID') throw error;
      cli.terminal.say(refusal.message);
    }
  }
}

const declined = () => new CommandError(exitCodes.interrupted, 'The question stays open.');

/** Returns the question that is meant, with its contents; undefined for one that is named and not open. */
async function openTask(
  session: Session,
  {
    run,
    question,
    isAsked,
  }: { readonly run: string; readonly question: string | undefined; readonly isAsked: boolean },
): Promise<Task | undefined> {
  const { tasks } = await describe(session, run);
  if (question !== undefined) return tasks.find(({ id }) => id === `${run}.${question}`);
  const [only, ...others] = tasks;
  if (only === undefined) await refuseUnasked(run);
  if (others.length === 0) return only;
  if (isAsked) {
    const options = tasks.map((one) => ({ value: one.id, hint: `${one.node}: ${shortLine(askedText(one))}` }));
    const chosen = await session.cli.terminal.choose('Which question?', options);
    if (chosen === undefined) throw declined();
    return tasks.find(({ id }) => id === chosen);
  }
  const list = tasks.map((one) => `  ${one.id}  ${one.node}: ${shortLine(askedText(one))}`).join('\n');
  throw new CommandError(exitCodes.invalid, `${run} has several open questions; name the one you answer:\n${list}`);
}

/** Throws CommandError for an answer of another kind than the question asks for. */
function assertAnswers(content: Content | undefined, task: Task, isNamed: boolean): void {
  if (!isNamed && isApproval(content)) refuseUnnamed(task);
  if (task.schema !== undefined && isText(content)) refuseText(task);
}

const isApproval = (content: Content | undefined): boolean =>
  content !== undefined && 'data' in content && content.data['decision'] === 'approve';

/** Refuses an approval by the id of the run alone: by now, the run may ask about another call than the one that was read. */
function refuseUnnamed(task: Task): void {
  if (task.approval === undefined) return;
  const about = `${task.node} asks about this one:\n${callText(task.approval)}`;
  throw new CommandError(exitCodes.invalid, `An approval names its call. ${about}\n  ${answerCommand(task)}`);
}

/** Refuses a text for a question with a schema, with the fields that it asks for. */
function refuseText(task: Task): void {
  const fields = fieldsOf(task)
    .map((field) => `\n  ${field}`)
    .join('');
  const about = fields === '' ? '' : ` with these fields:${fields}`;
  throw new CommandError(
    exitCodes.invalid,
    `The question of "${task.node}" takes data${about}\nAnswer it with: ${answerCommand(task)}`,
    { code: 'ANSWER_INVALID' },
  );
}

/** Returns an answer; a decision names the call that was just printed, so that it counts for no other one. */
const decided = (content: Content, task: Task | undefined): Content =>
  'data' in content && task?.approval !== undefined ? { data: { ...content.data, hash: task.approval.hash } } : content;

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

const targetPattern = new RegExp(`^(?<run>[^.]*)(?:\\.(?<question>${questionPattern.source}))?(?<rest>.*)$`, 's');

/** Parses `RUN`, `RUN.aN`, `RUN.aN-2`, `RUN.aN.CALL` or `RUN.aN.CALL-2`; the question is what follows the run. */
function parseTarget(target: string): { run: string; question?: string } {
  const { run = '', question, rest } = targetPattern.exec(target)?.groups ?? {};
  if (rest !== '')
    throw new CommandError(
      exitCodes.invalid,
      `"${target}" is neither a run nor a question: write RUN, RUN.ACTIVATION, RUN.ACTIVATION-2, RUN.ACTIVATION.CALL or RUN.ACTIVATION.CALL-2.`,
    );
  return question === undefined ? { run } : { run, question };
}
