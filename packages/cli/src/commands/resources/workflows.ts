import { basename } from 'node:path';
import type { Command } from 'commander';
import type { Cli } from '../../process/cli.ts';

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
    .action(async (file: string, { name = basename(file).replace(/\.ya?ml$/, ''), note, json }: PushFlags) => {
      const { publishWorkflow } = await import('../../requests/publish-workflow.ts');
      await publishWorkflow(cli, { file, name, note, json: json === true });
    });
  workflows
    .command('list')
    .description('list published workflows')
    .addHelpText('after', '\nExample:\n  millrace workflows list')
    .option('--json', 'print a JSON array')
    .action(async ({ json }: { json?: boolean }) => list(cli, json === true));
  workflows
    .command('versions')
    .description('list the versions of a published workflow, newest first')
    .addHelpText('after', '\nExample:\n  millrace workflows versions poem')
    .argument('<name>', 'name of the workflow')
    .option('--json', 'print a JSON array')
    .action(async (name: string, { json }: { json?: boolean }) => versions(cli, name, json === true));
  workflows
    .command('get')
    .description('print the text of a published workflow')
    .addHelpText('after', '\nExample:\n  millrace workflows get poem')
    .argument('<name>', 'NAME, or NAME@HASH for a certain version')
    .option('--json', 'print {hash, createdAt, yaml}')
    .action(async (reference: string, { json }: { json?: boolean }) => get(cli, reference, json === true));
  workflows
    .command('archive')
    .description('archive a published workflow: it starts no more runs')
    .addHelpText('after', '\nExample:\n  millrace workflows archive poem')
    .argument('<name>', 'name of the workflow')
    .option('--json', 'print {name, hash, archivedAt, …}')
    .action(async (name: string, { json }: { json?: boolean }) => archive(cli, name, json === true));
}

async function list(cli: Cli, json: boolean): Promise<void> {
  const { withSession } = await import('../../client/session.ts');
  const { columns } = await import('../../output/tables/columns.ts');
  const { all } = await import('../../requests/first.ts');
  await withSession(cli, {}, async ({ millrace }) => {
    const found = await all(millrace.workflows.list());
    if (json) cli.terminal.data(JSON.stringify(found, null, 2));
    else if (found.length === 0) cli.terminal.say('Nothing is published yet: millrace workflows push FILE');
    else {
      const rows = found.map(({ name, hash, publishedAt, archivedAt, by, note = '', runs }) => [
        name,
        hash,
        new Date(publishedAt).toISOString(),
        by,
        String(runs),
        archivedAt === undefined ? firstLine(note) : 'archived',
      ]);
      cli.terminal.data(columns(['NAME', 'HASH', 'PUBLISHED', 'BY', 'RUNS', 'NOTE'], rows));
    }
  });
}

async function versions(cli: Cli, name: string, json: boolean): Promise<void> {
  const { withSession } = await import('../../client/session.ts');
  const { columns } = await import('../../output/tables/columns.ts');
  const { all } = await import('../../requests/first.ts');
  await withSession(cli, {}, async ({ millrace }) => {
    const [current, found] = await Promise.all([millrace.workflows.get(name), all(millrace.workflows.versions(name))]);
    if (json) return cli.terminal.data(JSON.stringify(found, null, 2));
    const rows = found.map(({ hash, createdAt, by, note = '', runs }) => [
      hash,
      new Date(createdAt).toISOString(),
      by,
      String(runs),
      `${hash === current.hash ? '(current) ' : ''}${firstLine(note)}`,
    ]);
    cli.terminal.data(columns(['HASH', 'CREATED', 'BY', 'RUNS', 'NOTE'], rows));
  });
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

async function get(cli: Cli, reference: string, json: boolean): Promise<void> {
  const { withSession } = await import('../../client/session.ts');
  await withSession(cli, {}, async ({ millrace: { workflows } }) => {
    const [name = '', version] = reference.split('@', 2);
    const { hash, createdAt, yaml } = await (version === undefined
      ? workflows.get(name)
      : workflows.version(name, version));
    if (json) cli.terminal.data(JSON.stringify({ hash, createdAt, yaml }, null, 2));
    else cli.terminal.content(`${yaml.replace(/\n$/, '')}\n`);
  });
}

async function archive(cli: Cli, name: string, json: boolean): Promise<void> {
  const { withSession } = await import('../../client/session.ts');
  await withSession(cli, {}, async ({ millrace: { workflows } }) => {
    const archived = await workflows.archive(name);
    if (json) cli.terminal.data(JSON.stringify(archived, null, 2));
    else
      cli.terminal.say(`${name} is archived: it starts no more runs. \`millrace workflows push\` publishes it again.`);
  });
}
