import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Issue, LocatedModel, Spending, Vocabulary, Workflow } from '@millrace/core';
import { fileInvalid } from '../exit/file-refusals.ts';
import type { Source } from './source-file.ts';
import { isIssue, readSource, unreadable } from './source-file.ts';

/** Options of reading a definition file. */
export interface LoadOptions {
  readonly vocabulary: Vocabulary;
  /** `run` needs every variable; `check` only warns of missing ones. */
  readonly mode: 'check' | 'run';
  readonly environment: Readonly<Record<string, string>>;
  /** Variables of the environment that `--allow-env` names. */
  readonly allowedEnvironment?: readonly string[];
  /** Values for the workflow's variables; they win over the document's and the environment's. */
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly compat?: 'chatdev';
  /** Budget and prices of the run that it is read for, beside those of the text. */
  readonly spending?: Spending;
  /** Called with each file before it is read, and with the place of each subgraph that is missing. */
  onRead?(file: string): void;
}

/** A definition file as read: without a workflow there is at least one error among the issues. */
export interface LoadedWorkflow {
  readonly workflow?: Workflow;
  /** Names of the variables that are used in secret fields. */
  readonly secretVariables?: readonly string[];
  /** Names of the variables of the environment whose values texts use. */
  readonly environmentVariables?: readonly string[];
  /** The models that nodes ask, as far as they could be read. */
  readonly models?: readonly LocatedModel[];
  readonly issues: readonly Issue[];
}

/** Reads a workflow and the files of its subgraphs. */
export async function loadWorkflow(file: string, options: LoadOptions): Promise<LoadedWorkflow> {
  options.onRead?.(file);
  const source = readSource(file);
  if (isIssue(source)) return { issues: [source] };
  return readWith(source, options);
}

/** Reads the text of a workflow without access to other files, such as a published one. */
export async function readText(source: Source, { spending, ...options }: LoadOptions): Promise<LoadedWorkflow> {
  const [{ readWorkflow, withModelIssues }, { knowledgeOf }] = await Promise.all([
    import('@millrace/core'),
    import('@millrace/catalog'),
  ]);
  return withModelIssues(readWorkflow(source, options), knowledgeOf(options.vocabulary.models()), spending);
}

async function readWith(source: Source, { spending, ...options }: LoadOptions): Promise<LoadedWorkflow> {
  const [{ readWorkflow, withModelIssues }, { knowledgeOf }] = await Promise.all([
    import('@millrace/core'),
    import('@millrace/catalog'),
  ]);
  const unreadable: Issue[] = [];
  const read = readWorkflow(source, {
    ...options,
    readFile: (path, from) => {
      const found = findSubgraphFile(path, from);
      options.onRead?.(found ?? resolve(dirname(from), path));
      if (found === undefined) return undefined;
      const inner = readSource(found);
      if (!isIssue(inner)) return inner;
      unreadable.push(inner);
      return undefined;
    },
  });
  return withModelIssues(
    { ...read, issues: [...unreadable, ...read.issues] },
    knowledgeOf(options.vocabulary.models()),
    spending,
  );
}

/** Reads the script that answers for the models of a run; a script that cannot be used ends the command. */
export async function loadScript(file: string): Promise<Readonly<Record<string, unknown>>> {
  const text = readCompanion(file);
  const [{ parse }, { scriptFileProblems }] = await Promise.all([import('yaml'), import('@millrace/catalog')]);
  const script: unknown = parseOr(parse, { text, file });
  if (typeof script !== 'object' || script === null || Array.isArray(script)) {
    throw fileInvalid(`${file} is not a script: write a mapping with "rules" and "default".`);
  }
  const problems = scriptFileProblems(script).map(({ path, message }) =>
    [file, ...(path.length === 0 ? ['is not a script:'] : [path.join('.')]), message].join(' '),
  );
  if (problems.length > 0) throw fileInvalid(problems.join('\n'));
  return { ...script };
}

/** Reads a file that accompanies a workflow; `ifTooLarge` is the hint about one that is too large. */
export function readCompanion(file: string, ifTooLarge?: string): string {
  const source = readSource(file);
  if (!isIssue(source)) return source.text;
  const { code, message, hint = '' } = source;
  throw unreadable(file, { code, message, hint: (code === 'E_FILE_TOO_LARGE' ? ifTooLarge : undefined) ?? hint });
}

function parseOr(parse: (text: string) => unknown, { text, file }: { text: string; file: string }): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw fileInvalid(`${file} is not YAML: ${(error instanceof Error ? error.message : String(error)).trim()}`);
  }
}

/**
 * Finds the file of a subgraph: an absolute path as it is; otherwise beside the file that names it, then in the
 * `yaml_instance` folder of each directory above that one, then below the working directory.
 */
export function findSubgraphFile(path: string, from: string): string | undefined {
  const found = candidates(path, from).find((candidate) => existsSync(candidate));
  return found === undefined ? undefined : relative('', found) || found;
}

function candidates(path: string, from: string): string[] {
  if (isAbsolute(path)) return [path];
  const beside = dirname(resolve(from));
  return [
    join(beside, path),
    ...ancestors(beside).map((directory) => join(directory, 'yaml_instance', path)),
    resolve(path),
  ];
}

function ancestors(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...ancestors(parent)];
}
