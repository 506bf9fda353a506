import { openAttachment, problems, TaskAttachmentPath } from '@millrace/api';
import type { RouteContext } from '../context/route-context.ts';
import { contextFor } from '../http/add-operations.ts';
import { contentResponses, PartHeaders, sendContent } from '../http/content-reply.ts';
import type { Server } from '../http/server.ts';

/** Adds the route of files in the input of questions. */
export function addAttachmentRoutes(server: Server, api: RouteContext): void {
  server.get(
    openAttachment.path,
    {
      config: { requiredScope: openAttachment.scope },
      schema: {
        summary: openAttachment.summary,
        params: TaskAttachmentPath,
        headers: PartHeaders,
        response: { ...contentResponses, ...problems },
      },
    },
    async (request, reply) => {
      const { body } = await openAttachment.run(contextFor(api, request, reply), request.params);
      return sendContent(request, reply, body);
    },
  );
}
