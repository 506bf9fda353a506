import {
  diagnosticOf,
  Precondition,
  PublishedVersion,
  PublishedWorkflowLine,
  PublishedWorkflowText,
  PublishWorkflow,
  problems,
  ValidateWorkflow,
  Validation,
  VersionList,
  VersionListQuery,
  VersionPath,
  VersionText,
  WorkflowList,
  WorkflowListQuery,
  WorkflowPath,
  workflowLineOf,
} from '@millrace/api';
import type { Expected } from '@millrace/runtime';
import type { z } from 'zod';
import type { Api } from '../api.ts';
import { diagnose, readPublishable } from '../read-definition.ts';
import type { Server } from '../server.ts';

/** Workflows that are published under names. */
export function addWorkflowRoutes(server: Server, api: Api): void {
  addReads(server);
  addVersions(server);
  addChanges(server, api);
  addValidate(server, api);
}

function addReads(server: Server): void {
  server.get(
    '/v1/workflows',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'List published workflows by name',
        querystring: WorkflowListQuery,
        response: { 200: WorkflowList, ...problems },
      },
    },
    async ({ caller: { space }, query: { limit, cursor = '' } }) => {
      const found = await space.workflows.list(cursor, limit + 1);
      const data = found.slice(0, limit).map(workflowLineOf);
      return { data, nextCursor: found.length > limit ? (data.at(-1)?.name ?? null) : null };
    },
  );
  server.get(
    '/v1/workflows/:name',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'What a name stands for',
        params: WorkflowPath,
        response: { 200: PublishedWorkflowText, ...problems },
      },
    },
    async ({ caller: { space }, params: { name } }, reply) => {
      const workflow = await space.workflows.find(name);
      const { yaml } = await space.workflows.read(name, workflow.hash);
      return reply.header('etag', `"${workflow.hash}"`).send({ ...workflow, yaml });
    },
  );
}

function addVersions(server: Server): void {
  server.get(
    '/v1/workflows/:name/versions',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'The versions of a workflow, newest first',
        params: WorkflowPath,
        querystring: VersionListQuery,
        response: { 200: VersionList, ...problems },
      },
    },
    async ({ caller: { space }, params: { name }, query: { limit, cursor = '' } }) => {
      const { versions, next = null } = await space.workflows.versions(name, cursor, limit);
      return { data: [...versions], nextCursor: next };
    },
  );
  server.get(
    '/v1/workflows/:name/versions/:hash',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'One version of a workflow, which never changes',
        params: VersionPath,
        response: { 200: VersionText, ...problems },
      },
    },
    async ({ caller: { space }, params: { name, hash } }) => space.workflows.read(name, hash),
  );
}

function addChanges(server: Server, { reader }: Api): void {
  server.put(
    '/v1/workflows/:name',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Publish a version of a workflow',
        description: 'New runs of the name use it from now on, also when the workflow was archived.',
        params: WorkflowPath,
        headers: Precondition,
        body: PublishWorkflow,
        response: { 200: PublishedVersion, 201: PublishedVersion.describe('It is a new version.'), ...problems },
      },
    },
    async ({ caller: { space }, params: { name }, headers, body: { yaml } }, reply) => {
      const warnings = (await readPublishable(yaml, { space, reader })).map(diagnosticOf);
      const { changed, ...workflow } = await space.workflows.publish(name, yaml, expectedBy(headers));
      return reply
        .code(changed ? 201 : 200)
        .header('etag', `"${workflow.hash}"`)
        .header('location', `/v1/workflows/${name}/versions/${workflow.hash}`)
        .send({ ...workflowLineOf(workflow), warnings });
    },
  );
  server.delete(
    '/v1/workflows/:name',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Archive a workflow: no new runs of it are started; those that there are go on',
        params: WorkflowPath,
        headers: Precondition,
        response: { 200: PublishedWorkflowLine, ...problems },
      },
    },
    async ({ caller: { space }, params: { name }, headers }) =>
      workflowLineOf(await space.workflows.archive(name, expectedBy(headers))),
  );
}

function addValidate(server: Server, { reader }: Api): void {
  server.post(
    '/v1/workflows/validate',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'What is wrong with the text of a workflow; nothing is stored or started',
        body: ValidateWorkflow,
        response: { 200: Validation, ...problems },
      },
    },
    async ({ caller: { space }, body }) => {
      const { isValid, issues } = await diagnose(body, { space, reader });
      return { valid: isValid, diagnostics: issues.map(diagnosticOf) };
    },
  );
}

function expectedBy(headers: z.infer<typeof Precondition>): Expected | undefined {
  if (headers['if-none-match'] !== undefined) return { type: 'absent' };
  const tag = headers['if-match'];
  if (tag === undefined) return undefined;
  return tag === '*' ? { type: 'present' } : { type: 'at', hash: tag.slice(1, -1) };
}
