import type { Budget, Issue } from '@millrace/core';
import { omitUndefined, withoutSecrets } from '@millrace/core';
import type { StartRequest } from '@millrace/runtime';
import type { Context, ReadReply } from '../operation/context.ts';
import { Refused } from '../operation/refusal.ts';
import type { ProblemDetail } from '../schemas/problem.ts';
import type { StartRun } from '../schemas/runs/run.ts';
import { budgetOf } from '../schemas/runs/run.ts';

/*
 * Workflows of requests can use neither the files nor the environment of this process.
 */

/** Text of a workflow with the options of reading it. */
interface Definition {
  readonly yaml: string;
  readonly vars?: Readonly<Record<string, unknown>> | undefined;
  readonly compat?: 'chatdev' | undefined;
  /** Budget of the run that the text is read for; absent: that of the text. */
  readonly budget?: Budget;
}

/** The parts of a context that read workflows. */
export type ReadContext = Pick<Context, 'tenant' | 'reader'>;

/** Returns the workflow of a request, given as a text or a name, and its text. Throws Refused with the place of every error. */
export async function readDefinition(
  { workflow, vars, compat }: Pick<StartRun, 'workflow' | 'vars' | 'compat'>,
  context: ReadContext,
): Promise<ReadDefinition> {
  return (await readWithWarnings({ workflow, vars, compat }, context)).definition;
}

/** Returns the same with the warnings about the text. */
export async function readWithWarnings(
  { workflow, vars, compat, budget }: Pick<StartRun, 'workflow' | 'vars' | 'compat' | 'budget'>,
  context: ReadContext,
): Promise<{ readonly definition: ReadDefinition; readonly warnings: readonly Issue[] }> {
  const { yaml } = typeof workflow === 'string' ? await context.tenant.workflows.resolve(workflow) : workflow;
  const read = await readAs('run', { yaml, vars, compat, ...budgetOf(budget) }, context);
  if (read.workflow === undefined) throw refusal(read.issues, 'nothing was started');
  const shown = vars === undefined ? {} : { vars: withoutSecrets(vars, read.secretVariables ?? []) };
  return { definition: { workflow: read.workflow, definition: { yaml, ...shown } }, warnings: warningsOf(read) };
}

/** Returns the warnings about a text that was read, without those about variables that are set elsewhere. */
export const warningsOf = ({ issues }: ReadReply): readonly Issue[] =>
  issues.filter(({ severity, code }) => severity === 'warning' && code !== 'W_VARIABLE_UNRESOLVED');

/** Workflow with its text. */
export type ReadDefinition = Pick<StartRequest, 'workflow' | 'definition'>;

/** Returns the name of the published workflow of a request; undefined if the request contains the text. */
export const publishedNameIn = ({ workflow }: StartRun): string | undefined =>
  typeof workflow === 'string' ? workflow.split('@', 1)[0] : undefined;

/** Returns the warnings about a text before its publication. Throws Refused with the place of every error. */
export async function readPublishable(yaml: string, context: ReadContext): Promise<readonly Issue[]> {
  const { isValid, issues } = await diagnose({ yaml }, context);
  if (!isValid) throw refusal(issues, 'nothing was published');
  return issues;
}

/** Returns all errors and warnings about a text. Missing variables are no errors, because a run may set them. */
export const diagnose = ({ yaml, vars, compat }: Definition, { tenant, reader }: ReadContext): Promise<ReadReply> =>
  reader.read(
    { text: yaml, mode: 'check', wants: 'issues', ...omitUndefined({ variables: vars, compat }) },
    tenant.tenant,
  );

/** Reads a workflow with the options of a check, for callers that need its description. */
export const inspect = (definition: Definition, context: ReadContext): Promise<ReadReply> =>
  readAs('check', definition, context);

const readAs = (
  mode: 'check' | 'run',
  { yaml, vars, compat, budget }: Definition,
  { tenant, reader }: ReadContext,
): Promise<ReadReply> =>
  reader.read(
    { text: yaml, mode, wants: 'workflow', ...omitUndefined({ variables: vars, compat, budget }) },
    tenant.tenant,
  );

function refusal(issues: readonly Issue[], consequence: string): Refused {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const count = errors.length === 1 ? 'an error' : `${errors.length} errors`;
  return new Refused('WORKFLOW_INVALID', `The workflow has ${count}; ${consequence}.`, errors.map(detailOf));
}

const detailOf = ({ code, path, message, hint, line, column }: Issue): ProblemDetail =>
  omitUndefined({ code, pointer: path, detail: message, line, column, hint });
