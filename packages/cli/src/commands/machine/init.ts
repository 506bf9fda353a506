import { relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import type { Cli } from '../../process/cli.ts';
import type { TemplateName } from '../../workflow/workflow-template.ts';
import { isTemplate, templateFiles, workflowTemplates, writeNewFiles } from '../../workflow/workflow-template.ts';

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
      `\nTemplates:\n${templateLines()}\n\nExisting files are never overwritten.\n\nExample: millrace init news --template research-team`,
    )
    .action((name: string | undefined, flags: InitFlags) => init(cli, name, flags));
}

async function init(cli: Cli, name: string | undefined, { template, json }: InitFlags): Promise<void> {
  const chosen = template ?? (await askForTemplate(cli));
  if (chosen === undefined) {
    cli.exit = exitCodes.interrupted;
    return;
  }
  const { schemaText } = await import('../../workflow/schema-text.ts');
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
  const place = relative('', resolve(directory));
  const companions = ['script', 'answers'].filter((kind) => files.has(`${template}.${kind}.yaml`));
  const options = ['--local', ...companions.map((kind) => `--${kind} ${template}.${kind}.yaml`)].join(' ');
  return `
What to try next${place === '' ? '' : `\n  cd ${place}`}
  millrace run ${template}.yaml ${options}
  millrace dev ${template}.yaml ${options}
README.md there says more.`;
}
