import { BulkOrder, BulkPath, NewBulkOrder, problems } from '@millrace/api';
import type { Api } from '../api.ts';
import { bulkDesk } from '../bulk/bulk-desk.ts';
import type { Server } from '../server.ts';

/** The same for many runs at once. */
export function addBulkRoutes(server: Server, api: Api): void {
  server.post(
    '/v1/bulk',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Cancel or retry all runs that a filter finds',
        body: NewBulkOrder,
        response: { 202: BulkOrder, ...problems },
      },
    },
    async ({ caller: { space }, body, seed }, reply) => {
      const order = await bulkDesk(space, api).give(body, seed);
      return reply.code(202).header('location', `/v1/bulk/${order.id}`).send(order);
    },
  );
  server.get(
    '/v1/bulk/:id',
    {
      config: { demand: 'read' },
      schema: { summary: 'How far a bulk order has come', params: BulkPath, response: { 200: BulkOrder, ...problems } },
    },
    async ({ caller: { space }, params: { id } }) => bulkDesk(space, api).get(id),
  );
}
