import type { ProblemDetail, StartRun } from '@millrace/api';
import { omitUndefined, Refused } from '@millrace/api';
import type { ReadReply, WorkflowReader } from '@millrace/catalog';
import type { Issue, Workflow } from '@millrace/core';
import type { Namespace } from '@millrace/runtime';

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
  readonly reader: WorkflowReader;
}

/** The workflow that a request brings or names. Throws Refused with the place of every error. */
export async function readDefinition({ workflow, vars, compat }: StartRun, around: Around): Promise<Workflow> {
  const { yaml } = typeof workflow === 'string' ? await around.space.workflows.resolve(workflow) : workflow;
  const read = await readAs('run', { yaml, vars, compat }, around);
  if (read.workflow !== undefined) return read.workflow;
  throw refusal(read.issues, 'nothing was started');
}

/** The name of the published workflow that a request names; undefined when it brings one. */
export const nameIn = ({ workflow }: StartRun): string | undefined =>
  typeof workflow === 'string' ? workflow.split('@', 1)[0] : undefined;

/** The warnings about a text that is to be published. Throws Refused with the place of every error. */
export async function readPublishable(yaml: string, around: Around): Promise<readonly Issue[]> {
  const { isValid, issues } = await diagnose({ yaml }, around);
  if (!isValid) throw refusal(issues, 'nothing was published');
  return issues;
}

/** Everything that is wrong with a text, or may be. Variables without a value are no errors: a run may bring them. */
export const diagnose = ({ yaml, vars, compat }: Definition, { space, reader }: Around): Promise<ReadReply> =>
  reader.read(
    { text: yaml, mode: 'check', wants: 'issues', ...omitUndefined({ variables: vars, compat }) },
    space.tenant,
  );

/** A workflow as a check finds it, for who wants to know what it is about. */
export const inspect = (yaml: string, around: Around): Promise<ReadReply> => readAs('check', { yaml }, around);

const readAs = (
  mode: 'check' | 'run',
  { yaml, vars, compat }: Definition,
  { space, reader }: Around,
): Promise<ReadReply> =>
  reader.read({ text: yaml, mode, wants: 'workflow', ...omitUndefined({ variables: vars, compat }) }, space.tenant);

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
