import { basename } from 'node:path';
import type { WorkflowOverview } from '@millrace/client';
import { formatDollars } from '@millrace/core/budget';
import type { Command } from 'commander';
import type { Session } from '../../client/session.ts';
import { withSession } from '../../client/session.ts';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import { issueText } from '../../output/issue-report.ts';
import { printList } from '../../output/print-list.ts';
import type { Cli } from '../../process/cli.ts';
import { all } from '../../requests/pages.ts';
import { readCompanion, readText } from '../../workflow/load-workflow.ts';

interface PushFlags {
  readonly name?: string;
  readonly note?: string;
  readonly json?: boolean;
}

/** `millrace workflows`: manages published workflows. */
export function addWorkflows(program: Command, cli: Cli): void {
  const workflows = program
    .command('workflows')
    .description('publish, list and print workflows')
    .addHelpText('after', '\nExample:\n  millrace workflows push poem.yaml');
  workflows
    .command('push')
    .alias('publish')
    .description('publish a workflow; new runs of its name use it')
    .addHelpText('after', '\nExample:\n  millrace workflows push poem.yaml')
    .argument('<file>', 'workflow file; it is read without other files and without the environment')
    .option('--name <name>', 'name of the published workflow (default: the name of the file without its extension)')
    .option('--note <text>', 'reason or summary, shown with the version')
    .option('--json', 'print {name, hash, createdAt, publishedAt, by, note}')
    .action((file: string, flags: PushFlags) => push(cli, file, flags));
  workflows
    .command('list')
    .description('list published workflows')
    .addHelpText('after', '\nExample:\n  millrace workflows list')
    .option('--json', 'print a JSON array')
    .action(({ json }: { json?: boolean }) => list(cli, json));
  workflows
    .command('show')
    .description('print the purpose of a workflow, its runs of seven days and its last failures')
    .addHelpText('after', '\nExample:\n  millrace workflows show poem')
    .argument('<name>', 'name of the workflow')
    .option('--json', 'print {name, description, week, days, lastFailures}')
    .action((name: string, { json }: { json?: boolean }) => show(cli, name, json));
  workflows
    .command('versions')
    .description('list the versions of a published workflow, newest first')
    .addHelpText('after', '\nExample:\n  millrace workflows versions poem')
    .argument('<name>', 'name of the workflow')
    .option('--json', 'print a JSON array')
    .action((name: string, { json }: { json?: boolean }) => versions(cli, name, json));
  workflows
    .command('get')
    .description('print the text of a published workflow')
    .addHelpText('after', '\nExample:\n  millrace workflows get poem')
    .argument('<name>', 'NAME, or NAME@HASH for a certain version')
    .option('--json', 'print {hash, createdAt, yaml}')
    .action((reference: string, { json }: { json?: boolean }) => get(cli, reference, json));
  workflows
    .command('archive')
    .description('archive a published workflow: it starts no more runs')
    .addHelpText('after', '\nExample:\n  millrace workflows archive poem')
    .argument('<name>', 'name of the workflow')
    .option('--json', 'print {name, hash, archivedAt, …}')
    .action((name: string, { json }: { json?: boolean }) => archive(cli, name, json));
}

/** Publishes the text of a file under a name; a text with errors is refused. */
async function push(
  cli: Cli,
  file: string,
  { name = basename(file).replace(/\.ya?ml$/, ''), note, json }: PushFlags,
): Promise<void> {
  const text = readCompanion(file);
  await withSession(cli, {}, async (session) => {
    await assertSound(session, { file, text });
    const { warnings: _printed, ...published } = await session.millrace.workflows.publish(name, text, { note });
    cli.terminal.data(json ? JSON.stringify(published, null, 2) : `${name}@${published.hash}`);
    cli.terminal.say(`Start it with: millrace run ${name}`);
  });
}

/** Checks a text and prints its issues. An HTTP API checks what is published itself, with the functions that it has. */
async function assertSound({ cli, machine }: Session, source: { file: string; text: string }): Promise<void> {
  if (machine === undefined) return;
  const { vocabulary } = machine;
  const { workflow, issues } = await readText(source, { vocabulary, mode: 'check', environment: {} });
  for (const issue of issues) cli.terminal.say(issueText(issue));
  if (workflow !== undefined) return;
  throw new CommandError(exitCodes.invalid, `${source.file} has errors; nothing was published.`, { issues });
}

const list = (cli: Cli, json: boolean | undefined): Promise<void> =>
  withSession(cli, {}, async ({ millrace }) =>
    printList(cli.terminal, await all(millrace.workflows.list()), {
      json,
      empty: 'Nothing is published yet: millrace workflows push FILE',
      head: ['NAME', 'HASH', 'PUBLISHED', 'BY', 'RUNS', 'FAILED 7D', 'COST 7D', 'NOTE'],
      row: ({ name, hash, publishedAt, archivedAt, by, note = '', runs, week }) => [
        name,
        hash,
        new Date(publishedAt).toISOString(),
        by,
        String(runs),
        week.runs === 0 ? '-' : `${week.failed} of ${week.runs}`,
        week.microUsd === 0 ? '-' : formatDollars(week.microUsd),
        archivedAt === undefined ? firstLine(note) : 'archived',
      ],
    }),
  );

const show = (cli: Cli, name: string, json: boolean | undefined): Promise<void> =>
  withSession(cli, {}, async ({ millrace: { workflows } }) => {
    const overview = await workflows.overview(name);
    if (json) return cli.terminal.data(JSON.stringify(overview, null, 2));
    cli.terminal.data(overviewLines(overview).join('\n'));
  });

function overviewLines({ name, description, week, lastFailures }: WorkflowOverview): readonly string[] {
  const { runs, failed, microUsd, unpriced, p50Ms, p95Ms } = week;
  const unknown = unpriced === 0 ? '' : `, and ${unpriced} calls without a known price`;
  return [
    description === undefined ? name : `${name}: ${firstLine(description)}`,
    'Last seven days:',
    runs === 0 ? '  no run has ended' : `  ${runs} runs ended, ${failed} failed`,
    ...(p50Ms === undefined || p95Ms === undefined
      ? []
      : [`  half of those that completed took ${formatMs(p50Ms)} or less, 95% of them ${formatMs(p95Ms)}`]),
    ...(runs === 0 ? [] : [`  cost ${formatDollars(microUsd)}, ${formatDollars(microUsd / runs)} per run${unknown}`]),
    ...(lastFailures.length === 0 ? [] : ['Last failures:']),
    ...lastFailures.map(
      ({ runId, startedAt, error }) => `  ${runId}  ${new Date(startedAt).toISOString()}  ${error?.code ?? ''}`,
    ),
  ];
}

/** Returns a duration with two digits: they are known within an eighth. */
function formatMs(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 3_600_000 ? `${Math.round(ms / 60_000)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}

const versions = (cli: Cli, name: string, json: boolean | undefined): Promise<void> =>
  withSession(cli, {}, async ({ millrace: { workflows } }) => {
    const [current, found] = await Promise.all([workflows.get(name), all(workflows.versions(name))]);
    await printList(cli.terminal, found, {
      json,
      empty: '',
      head: ['HASH', 'CREATED', 'BY', 'RUNS', 'NOTE'],
      row: ({ hash, createdAt, by, note = '', runs }) => [
        hash,
        new Date(createdAt).toISOString(),
        by,
        String(runs),
        `${hash === current.hash ? '(current) ' : ''}${firstLine(note)}`,
      ],
    });
  });

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

const get = (cli: Cli, reference: string, json: boolean | undefined): Promise<void> =>
  withSession(cli, {}, async ({ millrace: { workflows } }) => {
    const [name = '', version] = reference.split('@', 2);
    const { hash, createdAt, yaml } = await (version === undefined
      ? workflows.get(name)
      : workflows.version(name, version));
    if (json) cli.terminal.data(JSON.stringify({ hash, createdAt, yaml }, null, 2));
    else cli.terminal.content(`${yaml.replace(/\n$/, '')}\n`);
  });

const archive = (cli: Cli, name: string, json: boolean | undefined): Promise<void> =>
  withSession(cli, {}, async ({ millrace: { workflows } }) => {
    const archived = await workflows.archive(name);
    if (json) cli.terminal.data(JSON.stringify(archived, null, 2));
    else
      cli.terminal.say(`${name} is archived: it starts no more runs. \`millrace workflows push\` publishes it again.`);
  });
