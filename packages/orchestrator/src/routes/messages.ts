import { MessagePath, openMessage, problems } from '@millrace/api';
import type { RouteContext } from '../context/route-context.ts';
import { contextFor } from '../http/add-operations.ts';
import { contentResponses, PartHeaders, sendContent } from '../http/content-reply.ts';
import type { Server } from '../http/server.ts';

/** Adds the route of the texts of messages. */
export function addMessageRoutes(server: Server, api: RouteContext): void {
  server.get(
    '/v1/runs/:id/messages/:mid/text',
    {
      config: { requiredScope: openMessage.scope },
      schema: {
        summary: openMessage.summary,
        params: MessagePath,
        headers: PartHeaders,
        response: { ...contentResponses, ...problems },
      },
    },
    async (request, reply) => {
      const { body } = await openMessage.run(contextFor(api, request, reply), request.params);
      return sendContent(request, reply, body);
    },
  );
}
