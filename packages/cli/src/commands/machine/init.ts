import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDirectorySync } from '@millrace/runtime/make-directory';
import type { Command } from 'commander';
import { Option } from 'commander';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import { fileExists, pathUnwritable } from '../../exit/file-refusals.ts';
import type { Cli } from '../../process/cli.ts';
import { schemaText } from './schema.ts';

interface InitFlags {
  readonly template?: TemplateName;
  readonly json?: boolean;
}

/** `millrace init`: creates a folder with a workflow from a template. */
export function addInit(program: Command, cli: Cli): void {
  program
    .command('init')
    .description('create a folder with a workflow from a template, which runs without a key')
    .argument('[name]', 'folder to make (default: the name of the template)')
    .addOption(new Option('--template <name>', 'template to start from').choices(Object.keys(workflowTemplates)))
    .option('--json', 'print {directory, template, files}')
    .addHelpText(
      'after',
      `\nTemplates:\n${templateLines()}\n\nExisting files are never overwritten.\n\nExample:\n  millrace init news --template research-team`,
    )
    .action((name: string | undefined, flags: InitFlags) => init(cli, name, flags));
}

async function init(cli: Cli, name: string | undefined, { template, json }: InitFlags): Promise<void> {
  const chosen = template ?? (await askForTemplate(cli));
  if (chosen === undefined) {
    cli.exit = exitCodes.interrupted;
    return;
  }
  const directory = name ?? chosen;
  const files = templateFiles(chosen, await schemaText());
  writeNewFiles(directory, files);
  const { terminal } = cli;
  if (json) terminal.data(JSON.stringify({ directory, template: chosen, files: [...files.keys()] }, null, 2));
  else for (const file of files.keys()) terminal.data(`${directory}/${file}`);
  terminal.say(whatNext(directory, chosen, files));
}

/** Asks for a template; undefined if the person presses Ctrl-C. */
async function askForTemplate({ terminal }: Cli): Promise<TemplateName | undefined> {
  if (!terminal.interactive) {
    throw new CommandError(exitCodes.invalid, `Name a template with --template:\n${templateLines()}`);
  }
  const options = Object.entries(workflowTemplates).map(([value, hint]) => ({ value, hint }));
  const answer = await terminal.choose('Which template?', options);
  return answer !== undefined && isTemplate(answer) ? answer : undefined;
}

const templateLines = (): string =>
  Object.entries(workflowTemplates)
    .map(([name, line]) => `  ${name.padEnd(18)}${line}`)
    .join('\n');

function whatNext(directory: string, template: TemplateName, files: ReadonlyMap<string, string>): string {
  const path = relative('', resolve(directory));
  const companions = ['script', 'answers'].filter((kind) => files.has(`${template}.${kind}.yaml`));
  const options = ['--local', ...companions.map((kind) => `--${kind} ${template}.${kind}.yaml`)].join(' ');
  return `
What to try next${path === '' ? '' : `\n  cd ${path}`}
  millrace run ${template}.yaml ${options}
  millrace dev ${template}.yaml ${options}
README.md there says more.`;
}

/** Templates of `millrace init`: a folder of `templates` each, and a line about it. */
const workflowTemplates = {
  'review-loop': 'a writer and a person who reviews, at most three rounds',
  'map-reduce': 'topics researched in parallel, and merged into one report',
  'research-team': 'researchers with the tools of an MCP server',
  approval: 'a decision that a person approves or declines',
  'scheduled-report': 'a report with tools, saved as a file, for a schedule',
} as const;

/** Name of a template, which is also that of its folder and of its workflow. */
type TemplateName = keyof typeof workflowTemplates;

const isTemplate = (name: string): name is TemplateName => Object.hasOwn(workflowTemplates, name);

const folder = fileURLToPath(new URL('../../../templates', import.meta.url));

/** File to which the comment in the first line of each template refers. */
const schemaFile = 'workflow.schema.json';

/** Returns the contents of the files of a template, with the JSON Schema that its workflow names. */
function templateFiles(template: TemplateName, schema: string): ReadonlyMap<string, string> {
  const names = readdirSync(join(folder, template)).sort();
  const files = names.map((name) => [name, readFileSync(join(folder, template, name), 'utf8')] as const);
  return new Map([...files, [schemaFile, `${schema}\n`]]);
}

/** Writes files into a folder, which is made if it is missing. Writes nothing if one of them exists. */
function writeNewFiles(directory: string, files: ReadonlyMap<string, string>): void {
  makeFolder(directory);
  const taken = [...files.keys()].filter((name) => exists(join(directory, name)));
  if (taken.length > 0) throw refusal(directory, taken);
  // `wx` also refuses a file that another program has written since.
  for (const [name, text] of files) writeFileSync(join(directory, name), text, { flag: 'wx' });
}

/** Tests if a path exists, also as a link that leads nowhere. */
const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function makeFolder(directory: string): void {
  try {
    makeDirectorySync(directory);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw pathUnwritable(`The folder ${directory} cannot be made: ${reason}. Choose another name.`);
  }
}

const refusal = (directory: string, taken: readonly string[]) =>
  fileExists(
    `${directory} already has ${taken.join(', ')}; nothing was written. Choose another name, or remove the files.`,
  );
