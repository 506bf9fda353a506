import type { ProblemDetail, StartRun } from '@millrace/api';
import { Refused } from '@millrace/api';
import type { Issue, ReadResult, Vocabulary, Workflow } from '@millrace/core';
import { readWorkflow } from '@millrace/core';
import type { Namespace } from '@millrace/runtime';
import { given } from './given.ts';

/*
 * How workflows are read here. They see neither the files nor the environment of this process.
 */

/** A text, and how it is to be understood. */
export interface Definition {
  readonly yaml: string;
  readonly vars?: Readonly<Record<string, unknown>> | undefined;
  readonly compat?: 'chatdev' | undefined;
}

/** Who asks for a run, and with what it may be made. */
export interface Around {
  readonly space: Namespace;
  readonly vocabulary: Vocabulary;
}

/** The workflow that a request brings or names. Throws Refused with the place of every error. */
export async function readDefinition({ workflow, vars, compat }: StartRun, around: Around): Promise<Workflow> {
  const { yaml } = typeof workflow === 'string' ? await around.space.workflows.resolve(workflow) : workflow;
  const read = readAs('run', { yaml, vars, compat }, around.vocabulary);
  if (read.workflow !== undefined) return read.workflow;
  throw refusal(read.issues, 'nothing was started');
}

/** The name of the published workflow that a request names; undefined when it brings one. */
export const nameIn = ({ workflow }: StartRun): string | undefined =>
  typeof workflow === 'string' ? workflow.split('@', 1)[0] : undefined;

/** The warnings about a text that is to be published. Throws Refused with the place of every error. */
export function readPublishable(yaml: string, vocabulary: Vocabulary): readonly Issue[] {
  const { workflow, issues } = readAs('check', { yaml }, vocabulary);
  if (workflow === undefined) throw refusal(issues, 'nothing was published');
  return issues;
}

/** Everything that is wrong with a text, or may be. Variables without a value are no errors: a run may bring them. */
export const diagnose = (definition: Definition, vocabulary: Vocabulary): ReadResult =>
  readAs('check', definition, vocabulary);

const readAs = (mode: 'check' | 'run', { yaml, vars, compat }: Definition, vocabulary: Vocabulary): ReadResult =>
  readWorkflow({ file: 'workflow.yaml', text: yaml }, { vocabulary, mode, ...given({ variables: vars, compat }) });

function refusal(issues: readonly Issue[], consequence: string): Refused {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const count = errors.length === 1 ? 'an error' : `${errors.length} errors`;
  return new Refused('WORKFLOW_INVALID', `The workflow has ${count}; ${consequence}.`, errors.map(detailOf));
}

const detailOf = ({ code, path, message, hint, line, column }: Issue): ProblemDetail => ({
  code,
  pointer: path,
  detail: message,
  line,
  column,
  ...(hint === undefined ? {} : { hint }),
});
