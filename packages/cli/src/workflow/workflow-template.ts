import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandError, exitCodes } from '../exit/exit.ts';

/** Templates of `millrace init`: a folder of `templates` each, and a line about it. */
export const workflowTemplates = {
  'review-loop': 'a writer and a person who reviews, at most three rounds',
  'map-reduce': 'topics researched in parallel, and merged into one report',
  'research-team': 'researchers with the tools of an MCP server',
  approval: 'a decision that a person approves or declines',
  'scheduled-report': 'a report with tools, saved as a file, for a schedule',
} as const;

/** Name of a template, which is also that of its folder and of its workflow. */
export type TemplateName = keyof typeof workflowTemplates;

export const isTemplate = (name: string): name is TemplateName => Object.hasOwn(workflowTemplates, name);

const folder = fileURLToPath(new URL('../../templates/', import.meta.url));

/** File to which the comment in the first line of each template refers. */
const schemaFile = 'workflow.schema.json';

/** Returns the contents of the files of a template, with the JSON Schema that its workflow names. */
export function templateFiles(template: TemplateName, schema: string): ReadonlyMap<string, string> {
  const names = readdirSync(join(folder, template)).sort();
  const files = names.map((name) => [name, readFileSync(join(folder, template, name), 'utf8')] as const);
  return new Map([...files, [schemaFile, `${schema}\n`]]);
}

/** Writes files into a folder, which is made if it is missing. Writes nothing if one of them exists. */
export function writeNewFiles(directory: string, files: ReadonlyMap<string, string>): void {
  makeDirectory(directory);
  const taken = [...files.keys()].filter((name) => exists(join(directory, name)));
  if (taken.length > 0) throw refusal(directory, taken);
  // `wx` also refuses a file that another program has written since.
  for (const [name, text] of files) writeFileSync(join(directory, name), text, { flag: 'wx' });
}

/** Links count, even those that lead nowhere. */
const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(
      exitCodes.invalid,
      `The folder ${directory} cannot be made: ${reason}. Choose another name.`,
    );
  }
}

const refusal = (directory: string, taken: readonly string[]) =>
  new CommandError(
    exitCodes.invalid,
    `${directory} already has ${taken.join(', ')}; nothing was written. Choose another name, or remove the files.`,
  );
