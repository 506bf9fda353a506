import { problems } from '@millrace/api';
import { z } from 'zod';
import type { RouteContext } from '../context/route-context.ts';
import type { Server } from '../http/server.ts';

/** Adds the route of the metrics of this process, in the format of Prometheus. */
export function addMetricsRoute(server: Server, { metrics }: RouteContext): void {
  if (metrics === undefined) return;
  server.get(
    '/metrics',
    {
      config: { requiredScope: 'operator' },
      schema: { summary: 'Counters and gauges, as Prometheus reads them', response: { 200: z.string(), ...problems } },
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  );
}
