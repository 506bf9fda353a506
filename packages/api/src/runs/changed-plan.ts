import { RequestError, withoutReferences } from '@millrace/core';
import { unknownRun } from '../operation/refusal.ts';
import type { StartRun } from '../schemas/runs/run.ts';
import type { ReadContext, ReadDefinition } from '../workflows/definition.ts';
import { readDefinition } from '../workflows/definition.ts';

/** Changes to the workflow of a fork. */
interface Changes {
  readonly run: string;
  readonly workflow?: StartRun['workflow'] | undefined;
  readonly vars?: StartRun['vars'] | undefined;
}

/** Returns the workflow with which a fork continues; undefined if it is unchanged. Throws RequestError. */
export async function changedPlan(
  context: ReadContext,
  { run, workflow, vars }: Changes,
): Promise<ReadDefinition | undefined> {
  if (workflow === undefined && vars === undefined) return undefined;
  const source = await context.tenant.run(run).definition();
  if (source === undefined) throw unknownRun(run);
  const yaml = workflow === undefined ? source.text?.yaml : await textOf(workflow, context);
  if (yaml === undefined)
    throw new RequestError(
      'FORK_TEXT_MISSING',
      `Run ${run} was started without the text of its workflow. Give the text as well: send it as \`workflow\`.`,
    );
  const known = source.text?.vars ?? {};
  return readDefinition(
    { workflow: { yaml }, vars: { ...withoutReferences(known), ...vars }, compat: source.compat },
    context,
  );
}

const textOf = async (workflow: StartRun['workflow'], { tenant }: ReadContext): Promise<string> =>
  typeof workflow === 'string' ? (await tenant.workflows.resolve(workflow)).yaml : workflow.yaml;
