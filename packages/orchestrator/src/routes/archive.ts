import type { Readable } from 'node:stream';
import { openArchive, problems, RunPath } from '@millrace/api';
import { omitUndefined } from '@millrace/core';
import { z } from 'zod';
import type { RouteContext } from '../context/route-context.ts';
import { contextFor } from '../http/add-operations.ts';
import { sendStream } from '../http/content-reply.ts';
import type { Server } from '../http/server.ts';

/** Adds the route of archives of runs. */
export function addArchiveRoute(server: Server, api: RouteContext): void {
  server.get(
    '/v1/runs/:id/archive',
    {
      config: { requiredScope: openArchive.scope },
      schema: {
        ...omitUndefined({ summary: openArchive.summary, description: openArchive.description }),
        params: RunPath,
        response: {
          200: {
            description: 'The archive.',
            content: {
              'application/x-ndjson': { schema: z.custom<Readable>().meta({ type: 'string', format: 'binary' }) },
            },
          },
          ...problems,
        },
      },
    },
    async (request, reply) => {
      const { body } = await openArchive.run(contextFor(api, request, reply), request.params);
      return sendStream(reply, body);
    },
  );
}
