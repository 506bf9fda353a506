import type { TasksQuery } from '@millrace/client';
import type { Command } from 'commander';
import { Option } from 'commander';
import { withSession } from '../../client/session.ts';
import { parseCount } from '../../options/arguments.ts';
import { printList } from '../../output/print-list.ts';
import { askedText } from '../../output/question-text.ts';
import { ageText, shortLine } from '../../output/short-text.ts';
import type { Cli } from '../../process/cli.ts';
import { withTimes } from '../../requests/open-questions.ts';
import { firstPage } from '../../requests/pages.ts';

interface TasksFlags extends Pick<TasksQuery, 'workflow' | 'status'> {
  readonly limit: number;
  readonly after?: string;
  readonly json?: boolean;
}

/** `millrace tasks`: lists open questions. */
export function addTasks(program: Command, cli: Cli): void {
  program
    .command('tasks')
    .description('list open questions to people, those of the newest run first')
    .option('--limit <n>', 'maximum number of questions', parseCount, 20)
    .option('--after <cursor>', 'the next page: the cursor that the page before has printed')
    .option('--workflow <name>', 'questions of the runs of one workflow')
    .addOption(
      new Option('--status <status>', 'only questions that are claimed, or only those that are not').choices([
        'open',
        'claimed',
      ]),
    )
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  millrace tasks --workflow review\n  millrace answer TASK "Shorter, please."')
    .action(async (flags: TasksFlags) => listTasks(cli, flags));
}

async function listTasks(cli: Cli, { json, limit, after, ...query }: TasksFlags): Promise<void> {
  await withSession(cli, {}, async ({ millrace }) => {
    const { data, nextCursor } = await firstPage(limit, after, (cursor, size) =>
      millrace.tasks.list({ ...query, limit: size }).page(cursor),
    );
    const tasks = await withTimes(millrace, data);
    const now = Date.now();
    await printList(cli.terminal, tasks, {
      json,
      empty: 'There are no open questions.',
      head: ['TASK', 'AGE', 'WORKFLOW', 'NODE', 'CLAIMED BY', 'PROMPT'],
      // Commands take a whole id.
      fit: {
        shrink: { WORKFLOW: 8, NODE: 8, 'CLAIMED BY': 10, PROMPT: 9 },
        optional: ['WORKFLOW', 'CLAIMED BY', 'NODE', 'AGE', 'PROMPT'],
      },
      block: {
        below: 66,
        lines: ({ id, askedAt, workflow, node, assignee, ...question }) => [
          id,
          `${ageText(now - askedAt)} ago, ${workflow}, ${node}${assignee === undefined ? '' : `, claimed by ${assignee}`}:`,
          shortLine(askedText(question)),
        ],
      },
      row: ({ id, askedAt, workflow, node, assignee = '', ...question }) => [
        id,
        ageText(now - askedAt),
        workflow,
        node,
        assignee,
        shortLine(askedText(question)),
      ],
    });
    if (nextCursor !== null) cli.terminal.say(`There are more: add --after ${nextCursor}`, 'dim');
  });
}
