import { omitUndefined } from '@millrace/core';
import type { HeadPrecondition, RunCursor, TenantRuntime } from '@millrace/runtime';
import type { z } from 'zod';
import type { Context } from '../operation/context.ts';
import { helloWorkflow } from '../operation/hello-workflow.ts';
import { operation } from '../operation/operation.ts';
import { cutPage } from '../schemas/page.ts';
import { runLineOf } from '../schemas/runs/run.ts';
import { graphsOf } from '../schemas/runs/run-graph.ts';
import { ValidateWorkflow, Validation, ValidationQuery } from '../schemas/runs/validation.ts';
import {
  diagnosticOf,
  Precondition,
  PublishedVersion,
  PublishedWorkflowLine,
  PublishedWorkflowText,
  PublishWorkflow,
  VersionList,
  VersionListQuery,
  VersionPath,
  VersionText,
  WorkflowList,
  WorkflowListQuery,
  WorkflowPath,
  workflowLineOf,
} from '../schemas/workflow.ts';
import { diagnose, inspect, readPublishable } from './definition.ts';
import { readWeeks, WorkflowOverview } from './overview.ts';

export const listWorkflows = operation({
  name: 'workflows.list',
  method: 'GET',
  path: '/v1/workflows',
  scope: 'read',
  summary: 'List published workflows by name',
  query: WorkflowListQuery,
  output: WorkflowList,
  async run(context, { limit, cursor = '' }) {
    const found = await context.tenant.workflows.list(cursor, limit + 1);
    const { page, nextCursor } = cutPage(found, limit, ({ name }) => name);
    return { body: { data: await withRuns(context, page.map(workflowLineOf)), nextCursor } };
  },
});

export const getWorkflow = operation({
  name: 'workflows.get',
  method: 'GET',
  path: '/v1/workflows/:name',
  scope: 'read',
  summary: 'The current version of a workflow, and its text',
  params: WorkflowPath,
  output: PublishedWorkflowText,
  async run({ tenant: { workflows } }, { name }) {
    const workflow = await workflows.find(name);
    const { yaml } = await workflows.read(name, workflow.hash);
    return { body: { ...workflow, yaml }, headers: { etag: `"${workflow.hash}"` } };
  },
});

/** Number of failed runs in an overview. */
const mostFailures = 5;

export const getOverview = operation({
  name: 'workflows.overview',
  method: 'GET',
  path: '/v1/workflows/:name/overview',
  cli: 'workflows show <name>',
  scope: 'read',
  summary: 'A workflow at a glance: its purpose, its runs of seven days, and its last failures',
  description:
    'The numbers are counted in the commits that end runs, and by their calls. A run that is retried counts where it ends last.',
  params: WorkflowPath,
  output: WorkflowOverview,
  async run(context, { name }) {
    const { tenant, usage, now } = context;
    const { hash } = await tenant.workflows.find(name);
    const { yaml } = await tenant.workflows.read(name, hash);
    const [weeks, { runs: failures }, { workflow }] = await Promise.all([
      readWeeks(usage, { tenant: tenant.tenant, now: now() }),
      tenant.list({ workflow: name, status: 'failed', limit: mostFailures }),
      inspect({ yaml }, context),
    ]);
    return {
      body: {
        name,
        ...omitUndefined({ description: workflow?.graph.description }),
        since: weeks.since,
        week: weeks.of(name),
        days: [...weeks.daysOf(name)],
        lastFailures: failures.map(runLineOf),
      },
    };
  },
});

export const listVersions = operation({
  name: 'workflows.versions',
  method: 'GET',
  path: '/v1/workflows/:name/versions',
  scope: 'read',
  summary: 'The versions of a workflow, newest first',
  params: WorkflowPath,
  query: VersionListQuery,
  output: VersionList,
  async run({ tenant }, { name, limit, cursor = '' }) {
    const { versions, next = null } = await tenant.workflows.versions(name, cursor, limit);
    const runs = await runsByVersion(tenant, name);
    return { body: { data: versions.map((version) => ({ ...version, ...runs(version.hash) })), nextCursor: next } };
  },
});

export const getVersion = operation({
  name: 'workflows.version',
  method: 'GET',
  path: '/v1/workflows/:name/versions/:hash',
  scope: 'read',
  summary: 'One version of a workflow, which never changes',
  params: VersionPath,
  output: VersionText,
  run: async ({ tenant }, { name, hash }) => ({ body: await tenant.workflows.read(name, hash) }),
});

export const publishWorkflow = operation({
  name: 'workflows.publish',
  method: 'PUT',
  path: '/v1/workflows/:name',
  cli: 'workflows push <yaml:/dev/stdin> --name <name> [--note note]',
  scope: 'run',
  summary: 'Publish a version of a workflow',
  description: 'New runs of the name use it from now on, also when the workflow was archived.',
  params: WorkflowPath,
  headers: Precondition,
  body: PublishWorkflow,
  example: { yaml: helloWorkflow },
  output: PublishedVersion,
  responses: { 201: PublishedVersion.describe('The version is new.') },
  async run(context, { name, yaml, note, ...precondition }) {
    const warnings = (await readPublishable(yaml, context)).map(diagnosticOf);
    const publication = { yaml, note, by: context.caller.name };
    const { changed, ...workflow } = await context.tenant.workflows.publish(
      name,
      publication,
      expectedBy(precondition),
    );
    return {
      body: { ...workflowLineOf(workflow), warnings },
      status: changed ? 201 : 200,
      headers: { etag: `"${workflow.hash}"`, location: `/v1/workflows/${name}/versions/${workflow.hash}` },
    };
  },
});

export const archiveWorkflow = operation({
  name: 'workflows.archive',
  method: 'DELETE',
  path: '/v1/workflows/:name',
  cli: 'workflows archive <name>',
  scope: 'run',
  summary: 'Archive a workflow: no new runs of it are started; existing runs continue',
  params: WorkflowPath,
  headers: Precondition,
  output: PublishedWorkflowLine,
  run: async ({ tenant }, { name, ...precondition }) => ({
    body: workflowLineOf(await tenant.workflows.archive(name, expectedBy(precondition))),
  }),
});

export const validateWorkflow = operation({
  name: 'workflows.validate',
  method: 'POST',
  path: '/v1/workflows/validate',
  scope: 'read',
  summary: 'Validate the text of a workflow; nothing is stored or started',
  query: ValidationQuery,
  body: ValidateWorkflow,
  example: { yaml: helloWorkflow },
  output: Validation,
  async run(context, { graph, ...text }) {
    const { isValid, issues, workflow, lines = {} } = await (graph ? inspect : diagnose)(text, context);
    const diagnostics = issues.map(diagnosticOf);
    if (workflow === undefined) return { body: { valid: isValid, diagnostics } };
    return { body: { valid: isValid, diagnostics, graphs: graphsOf(context.graphsOf(workflow), lines) } };
  },
});

function expectedBy(precondition: z.infer<typeof Precondition>): HeadPrecondition | undefined {
  if (precondition['if-none-match'] !== undefined) return { type: 'absent' };
  const tag = precondition['if-match'];
  if (tag === undefined) return undefined;
  // A compressed response has the weak form of the tag: the same version in other bytes.
  return tag === '*' ? { type: 'present' } : { type: 'at', hash: tag.replace(/^W\//, '').slice(1, -1) };
}

/** Maximum number of runs of a workflow that are counted. */
const mostRuns = 10_000;
const pageSize = 1000;

/** Numbers of the runs of a version. */
interface VersionRuns {
  readonly runs: number;
  readonly lastRunAt?: number;
}

/** Returns workflows with the numbers of their runs and the newest ones. */
async function withRuns(
  { tenant, usage, now }: Pick<Context, 'tenant' | 'usage' | 'now'>,
  workflows: readonly PublishedWorkflowLine[],
) {
  const [runs, weeks] = await Promise.all([
    tenant.runsOf(workflows.map(({ name }) => name)),
    readWeeks(usage, { tenant: tenant.tenant, now: now() }),
  ]);
  return workflows.map((workflow, at) => {
    const { count = 0, newest } = runs[at] ?? {};
    const week = weeks.of(workflow.name);
    return { ...workflow, week, runs: count, ...(newest === undefined ? {} : { lastRun: lastRunOf(newest) }) };
  });
}

const lastRunOf = ({ run, startedAt }: RunCursor) => ({ runId: run, startedAt });

/** Counts the newest runs of a workflow by their versions. Returns the numbers of a version. */
async function runsByVersion(
  tenant: Pick<TenantRuntime, 'list'>,
  workflow: string,
): Promise<(hash: string) => VersionRuns> {
  const known = new Map<string, VersionRuns>();
  let after: RunCursor | undefined;
  for (let looked = 0; looked < mostRuns; looked += pageSize) {
    const from = after === undefined ? {} : { after };
    const { runs, next } = await tenant.list({ workflow, limit: pageSize, ...from });
    for (const { version, startedAt } of runs) {
      if (version === undefined) continue;
      const { runs: before = 0, lastRunAt = startedAt } = known.get(version) ?? {};
      known.set(version, { runs: before + 1, lastRunAt });
    }
    if (next === undefined) break;
    after = next;
  }
  return (hash) => known.get(hash) ?? { runs: 0 };
}
