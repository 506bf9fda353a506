import { existsSync } from 'node:fs';
import type { RequestError } from '@millrace/core';
import type { Cli } from '../process/cli.ts';
import type { LoadedWorkflow, LoadOptions } from '../workflow/load-workflow.ts';
import { loadWorkflow, readCompanion } from '../workflow/load-workflow.ts';
import { withVocabulary } from '../workflow/open-vocabulary.ts';

/** Pattern of names of published workflows. */
const reference = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}(@[0-9a-f]{32})?$/;

/** Tests if a workflow on the command line is a published one; a file of the same name takes precedence. */
export const isPublished = (named: string): boolean => !existsSync(named) && reference.test(named);

/** Tests if nothing can be published, before anything is opened: memory is new, and so is a Redis that Millrace starts. */
export async function hasNonePublished(cli: Cli, { local }: { readonly local?: boolean }): Promise<boolean> {
  const { api, redisUrl, directory } = await cli.config();
  return local === true || (api === undefined && redisUrl === undefined && !existsSync(directory));
}

/** Returns the refusal of a name that refers to nothing. */
export async function unknownWorkflow(named: string): Promise<RequestError> {
  const { RequestError } = await import('@millrace/core');
  return new RequestError(
    'WORKFLOW_UNKNOWN',
    `${named} is neither a file nor a published workflow. \`millrace workflows list\` lists those; a file is named with its path.`,
  );
}

/** Workflow as it was written: the text of a file, or what is published under a name. */
export type WorkflowSource = (
  | { readonly type: 'text'; readonly yaml: string }
  | { readonly type: 'published'; readonly reference: string }
) & {
  /** All values that were given or taken from the environment. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly compat?: 'chatdev';
  /** Names of the variables that are used in secret fields. */
  readonly secretVariables?: readonly string[];
};

/** Values that are given for a workflow beside its text. */
export interface WorkflowValues {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly compat?: 'chatdev';
  /** Variables of the environment that `--allow-env` names. */
  readonly allowedEnvironment?: readonly string[];
}

/**
 * Reads the workflow of a file: as it was read here, and as it is sent to where neither its file nor the environment is. Says
 * which variables of the environment its texts use.
 */
export async function sourceOfFile(
  cli: Cli,
  file: string,
  { variables, compat, ...reading }: WorkflowValues & Pick<LoadOptions, 'mode' | 'onRead' | 'spending'>,
): Promise<{ readonly loaded: LoadedWorkflow; readonly source: () => WorkflowSource }> {
  const { environment } = await cli.config();
  const own = compat === undefined ? {} : { compat };
  const loaded = await withVocabulary(cli, (vocabulary) =>
    loadWorkflow(file, { vocabulary, ...reading, variables, ...own, environment }),
  );
  const { secretVariables = [], environmentVariables = [] } = loaded;
  if (environmentVariables.length > 0) {
    cli.terminal.say(`variables of the environment in the texts of the workflow: ${environmentVariables.join(', ')}`);
  }
  const taken = Object.fromEntries(environmentVariables.map((name) => [name, environment[name]]));
  const values = { variables: { ...taken, ...variables }, ...own, secretVariables };
  return { loaded, source: () => ({ type: 'text', yaml: readCompanion(file), ...values }) };
}
