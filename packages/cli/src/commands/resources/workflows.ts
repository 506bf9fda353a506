import { basename } from 'node:path';
import type { Command } from 'commander';
import type { Cli } from '../../process/cli.ts';

interface PushFlags {
  readonly name?: string;
  readonly json?: boolean;
}

/** `millrace workflows`: workflows that are published under names. */
export function addWorkflows(program: Command, cli: Cli): void {
  const workflows = program
    .command('workflows')
    .description('publish, list and print workflows')
    .addHelpText('after', '\nExample:\n  millrace workflows push poem.yaml');
  workflows
    .command('push')
    .description('publish a workflow; new runs of its name use it')
    .addHelpText('after', '\nExample:\n  millrace workflows push poem.yaml')
    .argument('<file>', 'workflow file; it is read without other files and without the environment')
    .option('--name <name>', 'name of the published workflow (default: the name of the file without its extension)')
    .option('--json', 'print {name, hash, createdAt, publishedAt}')
    .action(async (file: string, { name = basename(file).replace(/\.ya?ml$/, ''), json }: PushFlags) => {
      const { publishWorkflow } = await import('../../requests/publish-workflow.ts');
      await publishWorkflow(cli, { file, name, json: json === true });
    });
  workflows
    .command('list')
    .description('list published workflows')
    .addHelpText('after', '\nExample:\n  millrace workflows list')
    .option('--json', 'print a JSON array')
    .action(async ({ json }: { json?: boolean }) => list(cli, json === true));
  workflows
    .command('get')
    .description('print the text of a published workflow')
    .addHelpText('after', '\nExample:\n  millrace workflows get poem')
    .argument('<name>', 'NAME, or NAME@HASH for a certain version')
    .option('--json', 'print {hash, createdAt, yaml}')
    .action(async (reference: string, { json }: { json?: boolean }) => get(cli, reference, json === true));
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
      const rows = found.map(({ name, hash, publishedAt, archivedAt }) => [
        name,
        hash,
        new Date(publishedAt).toISOString(),
        archivedAt === undefined ? '' : 'archived',
      ]);
      cli.terminal.data(columns(['NAME', 'HASH', 'PUBLISHED', ''], rows));
    }
  });
}

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
