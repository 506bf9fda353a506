import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Extensions } from '@millrace/catalog';
import type { Issue, Vocabulary, Workflow } from '@millrace/core';
import { readWorkflow } from '@millrace/core';
import { parse } from 'yaml';
import type { Answer } from './stage.ts';

const folder = fileURLToPath(new URL('../../../examples', import.meta.url));
const companion = /\.(script|answers|test)\.yaml$/;

/** The names of all examples, without `.yaml`. */
export const exampleNames = (): readonly string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.yaml') && !companion.test(file))
    .map((file) => file.slice(0, -'.yaml'.length));

/** The functions that examples name, as the command line reads them from MILLRACE_EXTENSIONS. */
export async function exampleExtensions(): Promise<Extensions> {
  // JavaScript without declarations; what it exports is what the variable asks for.
  const { extensions } = (await import(join(folder, 'poem-functions.mjs'))) as { extensions: Extensions };
  return extensions;
}

/** An example as it is run. */
export interface Example {
  readonly workflow: Workflow;
  readonly issues: readonly Issue[];
  /** The answers beside it, in order; those that a test gives take their place. */
  readonly answers: readonly string[];
}

/** Reads an example with the script and the answers beside it. `edit` makes another variant of its text. */
export function readExample(
  name: string,
  vocabulary: Vocabulary,
  edit: (text: string) => string = (text) => text,
): Example {
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const beside = (kind: string, owner = name): unknown =>
    existsSync(join(folder, `${owner}.${kind}.yaml`)) ? parse(read(`${owner}.${kind}.yaml`)) : undefined;
  const { workflow, issues } = readWorkflow(
    { file: `${name}.yaml`, text: edit(read(`${name}.yaml`)) },
    { vocabulary, mode: 'run', readFile: (path) => ({ file: path, text: read(path) }) },
  );
  if (workflow === undefined) throw new Error(issues.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  // Both are ours: a mapping, and a list of texts. The graph inside another one shares that one's script.
  const script = (beside('script') ?? beside('script', name.replace(/-inner$/, ''))) as Workflow['script'];
  const answers = (beside('answers') ?? []) as readonly string[];
  return { workflow: script === undefined ? workflow : { ...workflow, script }, issues, answers };
}

/** Gives these answers to all questions. */
export function inOrder(answers: readonly string[]): Answer {
  const left = [...answers];
  return ({ node }) => {
    const answer = left.shift();
    if (answer === undefined) throw new Error(`"${node}" asks once more than there are answers.`);
    return answer;
  };
}
