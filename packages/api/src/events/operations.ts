import { z } from 'zod';
import { operation } from '../operation/operation.ts';
import type { RunCounts } from '../schemas/runs/run-list.ts';
import { runCountsOf } from '../schemas/runs/run-list.ts';
import type { TenantEvent } from '../schemas/runs/tenant-event.ts';
import { tenantEventOf } from '../schemas/runs/tenant-event.ts';

/** Source of the events of a tenant. */
export interface TenantEventSource {
  readonly events: AsyncIterable<TenantEvent>;
  /** Counts runs by status. */
  readonly count: () => Promise<RunCounts>;
}

export const watchEvents = operation({
  name: 'events.watch',
  method: 'GET',
  path: '/v1/events',
  sharesPath: true,
  scope: 'read',
  summary: 'The changes of runs, questions, batches and bulk actions, live',
  output: z.custom<TenantEventSource>(),
  kind: 'live',
  run: async ({ tenant, signal }) => ({
    body: { events: shown(tenant.events(signal)), count: async () => runCountsOf(await tenant.count({})) },
  }),
});

async function* shown(events: AsyncIterable<Parameters<typeof tenantEventOf>[0]>): AsyncGenerator<TenantEvent> {
  for await (const event of events) yield tenantEventOf(event);
}
