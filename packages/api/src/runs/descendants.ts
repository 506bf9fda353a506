import { omitUndefined, RequestError, textMessage, withoutReferences } from '@millrace/core';
import { budgetFlags } from '../operation/cli-line.ts';
import type { Context } from '../operation/context.ts';
import { operation } from '../operation/operation.ts';
import { unknownRun } from '../operation/refusal.ts';
import { ForkPreview, ForkPreviewQuery, ForkRun, ReplayRun } from '../schemas/runs/descendant.ts';
import type { StartRun } from '../schemas/runs/run.ts';
import { budgetOf, Run, RunPath } from '../schemas/runs/run.ts';
import type { ReadContext, ReadDefinition } from '../workflows/definition.ts';
import { readDefinition } from '../workflows/definition.ts';
import { describeKnown, ofStarted, runFor } from './describe.ts';

export const replayRun = operation({
  name: 'runs.replay',
  method: 'POST',
  path: '/v1/runs/:id/replay',
  cli: `replay <id> [--live-from liveFrom] [--workflow workflow:draft.yaml] [--set vars] [--mode mode] [--ttl ttlSeconds:seconds] ${budgetFlags()}`,
  scope: 'run',
  summary: 'Replay a finished run: models, tools and people are answered from its journal',
  description:
    'With `workflow` or `vars`, the task is repeated under another workflow. The mode `reuse` then makes exactly the calls that the change reaches.',
  params: RunPath,
  body: ReplayRun,
  example: { liveFrom: 'a3' },
  output: Run,
  status: 201,
  async run(context, { id, runId, liveFrom, mode, ttlSeconds, budget, ...changes }) {
    const as = runId ?? seeded(context);
    const plan = await changedPlan(context, { run: id, ...changes });
    const ttlMs = ttlSeconds === undefined ? undefined : ttlSeconds * 1000;
    const request = { ...omitUndefined({ as, liveFrom, mode, plan, ttlMs }), ...budgetOf(budget) };
    return created(context, await context.tenant.run(id).replay(request));
  },
});

export const forkRun = operation({
  name: 'runs.fork',
  method: 'POST',
  path: '/v1/runs/:id/fork',
  cli: 'fork <id> [--at at] [--output output:text] [--input input:text] [--prompt prompt:prompt.txt] [--model model] [--set vars]',
  scope: 'run',
  summary: 'Fork a run: start one that shares its history and continues independently',
  params: RunPath,
  body: ForkRun,
  description:
    'The activation is executed again, with another input if there is one, or has the given output. With `vars`, `prompt`, `model` or `workflow`, the new run continues under another plan with the same nodes and edges.',
  example: { at: 'a3', output: 'A better draft.' },
  output: Run,
  status: 201,
  async run(context, { id, at, output, input, runId, prompt, model, ...changes }) {
    const edited = output === undefined ? undefined : textMessage('assistant', output, '');
    const as = runId ?? seeded(context);
    const plan = await changedPlan(context, { run: id, ...changes });
    const settings = prompt === undefined && model === undefined ? undefined : omitUndefined({ prompt, model });
    return created(
      context,
      await context.tenant.run(id).fork({ at, ...omitUndefined({ as, output: edited, input, plan, settings }) }),
    );
  },
});

export const previewFork = operation({
  name: 'runs.previewFork',
  method: 'GET',
  path: '/v1/runs/:id/fork',
  scope: 'read',
  summary: 'Preview of a fork: the history that it would take over, and the calls that it would repeat',
  description: 'The numbers come from the recorded calls of the run. Nothing is started.',
  params: RunPath,
  query: ForkPreviewQuery,
  output: ForkPreview,
  async run({ tenant }, { id, at }) {
    const { live, ...preview } = await tenant.run(id).previewFork(at);
    return { body: { ...preview, live: [...live] } };
  },
});

const seeded = ({ seed }: Context): string | undefined => (seed === undefined ? undefined : `run_${seed}`);

const created = async (context: Context, run: string) => ({
  body: runFor(context, await ofStarted(run, describeKnown(context.tenant, run))),
  headers: { location: `/v1/runs/${run}` },
});

/** Changes to the workflow of a replay or fork. */
interface Changes {
  readonly run: string;
  readonly workflow?: StartRun['workflow'] | undefined;
  readonly vars?: StartRun['vars'] | undefined;
}

/** Returns the workflow of a replay or fork; undefined if it is unchanged. Throws RequestError. */
async function changedPlan(
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
