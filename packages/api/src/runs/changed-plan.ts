import type { ActivationId } from '@millrace/core';
import { omitUndefined, RequestError, withNodeConfig } from '@millrace/core';
import { unknownRun } from '../operation/refusal.ts';
import type { StartRun } from '../schemas/runs/run.ts';
import type { ReadContext, ReadDefinition } from '../workflows/definition.ts';
import { readDefinition } from '../workflows/definition.ts';

/** What is to be different in the workflow of a fork. */
interface Changes {
  readonly run: string;
  readonly at: ActivationId;
  readonly workflow?: StartRun['workflow'] | undefined;
  readonly vars?: StartRun['vars'] | undefined;
  /** System prompt and model of the node of the activation. */
  readonly prompt?: string | undefined;
  readonly model?: string | undefined;
}

/** Returns the workflow under which a fork goes on; undefined when nothing in it is to be different. Throws RequestError. */
export async function changedPlan(context: ReadContext, changes: Changes): Promise<ReadDefinition | undefined> {
  const { run, at, workflow, vars, prompt, model } = changes;
  if ([workflow, vars, prompt, model].every((change) => change === undefined)) return undefined;
  const source = await context.tenant.definition(run);
  if (source === undefined) throw unknownRun(run);
  const text = workflow === undefined ? source.text?.yaml : await textOf(workflow, context);
  if (text === undefined)
    throw new RequestError(
      'REQUEST_INVALID',
      `Run ${run} was started by a version that did not keep the text of its workflow. Send the text as \`workflow\`.`,
    );
  const config = omitUndefined({ role: prompt, name: model });
  const yaml = Object.keys(config).length === 0 ? text : await edited(context, { run, at, text, config });
  const known = source.text?.vars ?? {};
  return readDefinition(
    { workflow: { yaml }, vars: { ...withoutReferences(known), ...vars }, compat: source.compat },
    context,
  );
}

const textOf = async (workflow: StartRun['workflow'], { tenant }: ReadContext): Promise<string> =>
  typeof workflow === 'string' ? (await tenant.workflows.resolve(workflow)).yaml : workflow.yaml;

interface Edited extends Pick<Changes, 'run' | 'at'> {
  readonly text: string;
  readonly config: Readonly<Record<string, string>>;
}

/** Returns the text with another configuration of the node of the activation. */
async function edited({ tenant }: ReadContext, { run, at, text, config }: Edited): Promise<string> {
  const found = await tenant.activation(run, at, 0);
  if (found === undefined)
    throw new RequestError('ACTIVATION_UNKNOWN', `There is no run ${run} with an activation ${at}.`);
  const yaml = withNodeConfig(text, found, config);
  if (yaml !== undefined) return yaml;
  throw new RequestError(
    'FORK_NODE_MISSING',
    `The text of run ${run} does not contain node "${found.node}": it comes from another file, or from a boss. Change a variable, or send the whole text as \`workflow\`.`,
  );
}

/** Leaves out variables that are references to themselves, as secrets are kept: they need a value of the caller. */
const withoutReferences = (vars: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(vars).filter(([name, value]) => value !== `\${${name}}`));
