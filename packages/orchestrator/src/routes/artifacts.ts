import { PassThrough, Readable } from 'node:stream';
import { ArtifactContentQuery, ArtifactPath, ArtifactQuery, openArtifact, problems, RunPath } from '@millrace/api';
import type { Artifact as KnownArtifact, TenantRuntime } from '@millrace/runtime';
import yazl from 'yazl';
import { z } from 'zod';
import type { RouteContext } from '../context/route-context.ts';
import { contextFor } from '../http/add-operations.ts';
import { contentResponses, PartHeaders, sendContent } from '../http/content-reply.ts';
import type { Server } from '../http/server.ts';

/** Adds the routes of files that the nodes of a run have written. */
export function addArtifactRoutes(server: Server, api: RouteContext): void {
  server.get(
    '/v1/runs/:id/artifacts/:file',
    {
      config: { requiredScope: openArtifact.scope },
      schema: {
        summary: openArtifact.summary,
        params: ArtifactPath,
        querystring: ArtifactContentQuery,
        headers: PartHeaders,
        response: { ...contentResponses, ...problems },
      },
    },
    async (request, reply) => {
      const { body } = await openArtifact.run(contextFor(api, request, reply), { ...request.params, ...request.query });
      return sendContent(request, reply, body);
    },
  );
  server.get(
    '/v1/runs/:id/artifacts.zip',
    {
      config: { requiredScope: 'read' },
      schema: {
        summary: 'All files of a run in one archive',
        params: RunPath,
        querystring: ArtifactQuery,
        response: {
          200: {
            description: 'The archive.',
            content: { 'application/zip': { schema: z.custom<Readable>().meta({ type: 'string', format: 'binary' }) } },
          },
          ...problems,
        },
      },
    },
    async ({ caller: { tenant: tenantRuntime }, params: { id }, query: { activation } }, reply) => {
      const artifacts = await tenantRuntime.run(id).artifacts(activation);
      return reply
        .type('application/zip')
        .header('content-disposition', `attachment; filename="${id}.zip"`)
        .send(archiveOf(tenantRuntime, artifacts));
    },
  );
}

/**
 * Returns an archive that is created while it is sent: each file is opened when it is its turn. yazl writes it, because
 * fflate, which reads workbooks, writes no ZIP64, as archives of 4 GiB or 65,536 files need; yazl does not read.
 */
function archiveOf(tenantRuntime: TenantRuntime, artifacts: readonly KnownArtifact[]): Readable {
  const zip = new yazl.ZipFile();
  const sent = new PassThrough();
  let open: Readable | undefined;
  zip.on('error', (error) => sent.destroy(error instanceof Error ? error : new Error(String(error))));
  // The client may disconnect in the middle of a file.
  sent.once('close', () => open?.destroy());
  for (const artifact of artifacts) {
    zip.addReadStreamLazy(nameOf(artifact), { mtime: new Date(artifact.at) }, (give) => {
      tenantRuntime.version(artifact).then(
        (content) => {
          open = Readable.from(content.read(0, content.size), { objectMode: false });
          if (sent.destroyed) open.destroy();
          give(null, open);
        },
        (error: unknown) => give(error, Readable.from([])),
      );
    });
  }
  zip.end();
  zip.outputStream.pipe(sent);
  return sent;
}

/** Returns the name of a file in the archive; files of subgraphs are in a folder of their call. */
const nameOf = ({ workspace, path }: KnownArtifact): string =>
  portable(workspace === 's0' ? path : `${workspace}/${path}`);

/** Escapes characters of a path, as in a URL, that could lead out of a folder on another system. */
const portable = (path: string): string => path.replaceAll('\\', '%5C').replace(/^([A-Za-z]):/, '$1%3A');
