import { omitUndefined, RequestError } from '@millrace/core';
import type { Content, ContentStream } from '@millrace/runtime';
import { z } from 'zod';
import { canRead } from '../operation/call.ts';
import type { Context } from '../operation/context.ts';
import { operation } from '../operation/operation.ts';
import { unknownRun } from '../operation/refusal.ts';
import { tool, WaitSeconds } from '../operation/tool.ts';
import {
  ArtifactContentQuery,
  ArtifactList,
  ArtifactPath,
  ArtifactQuery,
  artifactOf,
} from '../schemas/runs/artifact.ts';
import { Run, RunId, RunPath, RunResult, runOf } from '../schemas/runs/run.ts';
import { RunCounts, RunCountsQuery, RunList, RunListQuery, runCountsOf, runListOf } from '../schemas/runs/run-list.ts';
import { Terminations, terminationsOf } from '../schemas/runs/termination.ts';
import { Wait } from '../schemas/runs/wait.ts';
import { diagnosticOf, RunWorkflow } from '../schemas/workflow.ts';
import { inspect, warningsOf } from '../workflows/definition.ts';
import { describeKnown } from './describe.ts';
import { entityTag } from './entity-tag.ts';
import { handleOf } from './run-handle.ts';

export const listRuns = operation({
  name: 'runs.list',
  method: 'GET',
  path: '/v1/runs',
  scope: 'read',
  summary: 'List runs, newest first',
  query: RunListQuery,
  output: RunList,
  async run({ tenant }, { cursor, asks, ...query }) {
    const found = await tenant.list({
      ...omitUndefined(query),
      ...(asks === undefined ? {} : { asks: true }),
      ...omitUndefined({ after: cursor }),
      limit: query.limit,
    });
    return { body: runListOf(found) };
  },
});

export const countRuns = operation({
  name: 'runs.counts',
  method: 'GET',
  path: '/v1/runs/counts',
  scope: 'read',
  summary: 'The numbers of runs by status',
  query: RunCountsQuery,
  output: RunCounts,
  run: async ({ tenant }, query) => ({ body: runCountsOf(await tenant.count(omitUndefined(query))) }),
});

export const getRun = operation({
  name: 'runs.get',
  method: 'GET',
  path: '/v1/runs/:id',
  cli: 'show <id>',
  scope: 'read',
  summary: 'The state of a run',
  params: RunPath,
  query: z.object({
    wait: Wait.optional().describe('Wait until the run has ended or waits, at most for this time.'),
    until: z
      .enum(['idle', 'ended'])
      .default('idle')
      .describe('`ended`: also wait while the run waits for a person or program.'),
    view: z
      .literal('head')
      .optional()
      .describe('Leaves `outputs` and `dataByNode` empty, and shortens the inputs of questions to 2,048 characters.'),
  }),
  output: Run,
  tool: tool({
    name: 'get_run',
    description: 'The state of a run: its status, its output once there is one, and its open questions.',
    input: z.object({ runId: RunId, waitSeconds: WaitSeconds }),
    request: ({ runId, waitSeconds }) => ({ id: runId, wait: `${Math.round(waitSeconds * 1000)}ms` }),
    result: handleOf,
  }),
  responses: {
    304: z.undefined().describe('The run has not changed since the response with the ETag in If-None-Match.'),
  },
  async run({ tenant, awaitRun }, { id, wait: waitMs, until, view }) {
    const waited = waitMs === undefined ? undefined : await awaitRun(id, { until, waitMs });
    const description = view === undefined && waited ? waited : await describeKnown(tenant, id, view);
    const [event = ''] = description.seen.split('-', 1);
    return { body: runOf(description, view), headers: { etag: entityTag({ event, at: description.seenAt }) } };
  },
});

export const getResult = operation({
  name: 'runs.result',
  method: 'GET',
  path: '/v1/runs/:id/result',
  scope: 'read',
  summary: 'The result of a run',
  params: RunPath,
  output: RunResult,
  async run({ tenant }, { id }) {
    const description = await describeKnown(tenant, id);
    if (description.finishedAt !== undefined) return { body: runOf(description) };
    throw new RequestError('RUN_UNFINISHED', `Run ${id} has no result yet: it is ${description.status}.`);
  },
});

export const listArtifacts = operation({
  name: 'runs.artifacts',
  method: 'GET',
  path: '/v1/runs/:id/artifacts',
  scope: 'read',
  summary: 'The files that the nodes of a run have written',
  description:
    'The list is read from the journal: the cost grows with the work of the run, or, for one activation, with the work of the run during it.',
  params: RunPath,
  query: ArtifactQuery,
  output: ArtifactList,
  run: async ({ tenant }, { id, activation }) => ({
    body: { data: (await tenant.run(id).artifacts(activation)).map(artifactOf) },
  }),
});

export const listFileVersions = operation({
  name: 'runs.fileVersions',
  method: 'GET',
  path: '/v1/runs/:id/artifacts/:file/versions',
  scope: 'read',
  summary: 'The versions of a file of a run, the oldest first',
  description: 'The list is read from the journal: the cost grows with the work of the run.',
  params: ArtifactPath,
  output: ArtifactList,
  run: async ({ tenant }, { id, file }) => ({
    body: { data: (await tenant.run(id).fileVersions(file)).map(artifactOf) },
  }),
});

export const openArtifact = operation({
  name: 'runs.artifact',
  method: 'GET',
  path: '/v1/runs/:id/artifacts/:file',
  sharesPath: true,
  scope: 'read',
  summary: 'The content of a file of a run',
  params: ArtifactPath,
  query: ArtifactContentQuery,
  output: z.custom<Content>(),
  kind: 'content',
  run: async ({ tenant }, { id, file, digest }) => ({ body: await tenant.run(id).artifact(file, digest) }),
});

export const openArchive = operation({
  name: 'runs.archive',
  method: 'GET',
  path: '/v1/runs/:id/archive',
  sharesPath: true,
  scope: 'read',
  summary: 'The archive of a run as of now: its workflow, its journal and its messages, as lines of JSON',
  description:
    'The format is that of archives of removed runs, which `millrace replay --file` reads. It is made while it is sent. Files and attachments are not in it.',
  params: RunPath,
  output: z.custom<ContentStream>(),
  kind: 'content',
  run: async ({ tenant }, { id }) => ({ body: await tenant.run(id).archive() }),
});

export const getTerminations = operation({
  name: 'runs.terminations',
  method: 'GET',
  path: '/v1/runs/:id/termination',
  scope: 'read',
  summary: 'The terminations of a run and its scopes, with their progress',
  params: RunPath,
  output: Terminations,
  async run({ tenant }, { id }) {
    const found = await tenant.run(id).terminations();
    if (found === undefined) throw unknownRun(id);
    return { body: terminationsOf(found) };
  },
});

export const resetTerminations = operation({
  name: 'runs.resetTerminations',
  method: 'POST',
  path: '/v1/runs/:id/termination/reset',
  scope: 'run',
  summary: 'Reset all terminations of a run, while no activation is executing',
  params: RunPath,
  body: z.strictObject({}).nullish(),
  output: Terminations.describe('Empty for a key without the scope `read`.'),
  async run(context, { id }) {
    const run = context.tenant.run(id);
    await run.control('reset');
    // Settings and states of conditions contain texts of the run.
    return { body: terminationsOf(canRead(context) ? ((await run.terminations()) ?? []) : []) };
  },
});

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
    const { name, text, compat, budget } = found;
    const current = await currentVersion(context, name);
    if (text === undefined)
      return { body: { name, hash: null, yaml: null, vars: {}, lines: {}, warnings: [], current } };
    const read = await inspect({ ...text, compat, ...omitUndefined({ budget }) }, context);
    return { body: { name, ...text, lines: read.lines ?? {}, warnings: warningsOf(read).map(diagnosticOf), current } };
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
