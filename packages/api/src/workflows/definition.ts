import type { Issue } from '@millrace/core';
import { omitUndefined, withoutSecrets } from '@millrace/core';
import type { StartRequest } from '@millrace/runtime';
import type { Context } from '../operation/context.ts';
import { Refused } from '../operation/refusal.ts';
import type { ReadReply } from '../operation/workflow-reader.ts';
import type { ProblemDetail } from '../schemas/problem.ts';
import type { StartRun } from '../schemas/runs/run.ts';

/*
 * Workflows of requests see neither the files nor the environment of this process.
 */

/** A text, and how it is to be understood. */
interface Definition {
  readonly yaml: string;
  readonly vars?: Readonly<Record<string, unknown>> | undefined;
  readonly compat?: 'chatdev' | undefined;
}

/** The parts of a context that read workflows. */
export type ReadContext = Pick<Context, 'tenant' | 'reader'>;

/** Returns the workflow that a request brings or names, and its text. Throws Refused with the place of every error. */
export async function readDefinition(
  { workflow, vars, compat }: Pick<StartRun, 'workflow' | 'vars' | 'compat'>,
  context: ReadContext,
): Promise<ReadDefinition> {
  const { yaml } = typeof workflow === 'string' ? await context.tenant.workflows.resolve(workflow) : workflow;
  const read = await readAs('run', { yaml, vars, compat }, context);
  if (read.workflow !== undefined) {
    const shown = vars === undefined ? {} : { vars: withoutSecrets(vars, read.secretVariables ?? []) };
    return { workflow: read.workflow, definition: { yaml, ...shown } };
  }
  throw refusal(read.issues, 'nothing was started');
}

/** A workflow and the text that it was read from. */
export type ReadDefinition = Pick<StartRequest, 'workflow' | 'definition'>;

/** The name of the published workflow that a request names; undefined when it brings one. */
export const nameIn = ({ workflow }: StartRun): string | undefined =>
  typeof workflow === 'string' ? workflow.split('@', 1)[0] : undefined;

/** Returns the warnings about a text that is to be published. Throws Refused with the place of every error. */
export async function readPublishable(yaml: string, context: ReadContext): Promise<readonly Issue[]> {
  const { isValid, issues } = await diagnose({ yaml }, context);
  if (!isValid) throw refusal(issues, 'nothing was published');
  return issues;
}

/** Finds everything that is wrong with a text, or may be. Variables without a value are no errors: a run may bring them. */
export const diagnose = ({ yaml, vars, compat }: Definition, { tenant, reader }: ReadContext): Promise<ReadReply> =>
  reader.read(
    { text: yaml, mode: 'check', wants: 'issues', ...omitUndefined({ variables: vars, compat }) },
    tenant.tenant,
  );

/** Reads a workflow as a check does, for callers that need its description. */
export const inspect = (definition: Definition, context: ReadContext): Promise<ReadReply> =>
  readAs('check', definition, context);

const readAs = (
  mode: 'check' | 'run',
  { yaml, vars, compat }: Definition,
  { tenant, reader }: ReadContext,
): Promise<ReadReply> =>
  reader.read({ text: yaml, mode, wants: 'workflow', ...omitUndefined({ variables: vars, compat }) }, tenant.tenant);

function refusal(issues: readonly Issue[], consequence: string): Refused {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const count = errors.length === 1 ? 'an error' : `${errors.length} errors`;
  return new Refused('WORKFLOW_INVALID', `The workflow has ${count}; ${consequence}.`, errors.map(detailOf));
}

const detailOf = ({ code, path, message, hint, line, column }: Issue): ProblemDetail =>
  omitUndefined({ code, pointer: path, detail: message, line, column, hint });
