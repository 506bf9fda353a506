import { RequestError } from '@millrace/core';
import type { Context } from '../operation/context.ts';
import { operation } from '../operation/operation.ts';
import { unknownRun } from '../operation/refusal.ts';
import { RunPath } from '../schemas/runs/run.ts';
import { RunWorkflow } from '../schemas/workflow.ts';
import { inspect } from '../workflows/definition.ts';

export const getRunWorkflow = operation({
  name: 'runs.workflow',
  method: 'GET',
  path: '/v1/runs/:id/workflow',
  scope: 'read',
  summary: 'The text of the workflow that a run was started with',
  params: RunPath,
  output: RunWorkflow,
  async run(context, { id }) {
    const found = await context.tenant.run(id).definition();
    if (found === undefined) throw unknownRun(id);
    const { name, text } = found;
    const current = await currentVersion(context, name);
    if (text === undefined) return { body: { name, hash: null, yaml: null, vars: {}, lines: {}, current } };
    const { lines = {} } = await inspect({ yaml: text.yaml }, context);
    return { body: { name, ...text, lines, current } };
  },
});

/** Returns the version that a name refers to; null if no workflow has the name. */
async function currentVersion({ tenant }: Context, name: string): Promise<RunWorkflow['current']> {
  try {
    const { hash, publishedAt } = await tenant.workflows.find(name);
    return { hash, publishedAt };
  } catch (error) {
    if (error instanceof RequestError && error.code === 'WORKFLOW_UNKNOWN') return null;
    throw error;
  }
}
