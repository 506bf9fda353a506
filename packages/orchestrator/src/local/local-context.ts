import type { Background, OperatorContext, QueuedDelivery } from '@millrace/api';
import { createDirectReader } from '@millrace/catalog';
import type { Scope, TenantId, Vocabulary } from '@millrace/core';
import { scopes as allScopes } from '@millrace/core';
import type { JobQueues, Runtime } from '@millrace/runtime';
import { createTenantRuntime } from '@millrace/runtime';
import { batchJobs, createBatchEnqueuer } from '../background/batches/start-batches.ts';
import { tables } from '../background/batches/tables.ts';
import { bulkJobs, createBulkEnqueuer } from '../background/bulk/start-bulk.ts';
import { createTickSetter } from '../background/schedules/start-schedules.ts';
import { outboundPolicyByTenant, reachableBy } from '../background/webhooks/outbound-policy-by-tenant.ts';
import { createSealing } from '../background/webhooks/sealing.ts';
import { createDeliveryQueue } from '../background/webhooks/start-webhooks.ts';
import { contextOf, sharedContext } from '../context/context.ts';

/** Parts that local contexts are made of. */
export interface LocalContextOptions {
  readonly runtime: Pick<Runtime, 'runs' | 'store' | 'queue' | 'shared' | 'intake' | 'limits' | 'models'>;
  readonly vocabulary: Vocabulary;
  readonly tenant: TenantId;
  /** Destinations that webhooks may reach besides public addresses; absent: this machine, for the default tenant. */
  readonly allow?: readonly string[];
  /** Returns the secret of the installation. */
  readonly secret: () => Promise<Buffer>;
  /** Default: all. */
  readonly scopes?: readonly Scope[];
  /** Visible refused jobs; default: those of the tenant. */
  readonly intakeOf?: OperatorContext['intakeOf'];
}

/** Returns a function that creates contexts for operations of this process. Servers execute the background work. */
export function localContexts(options: LocalContextOptions): (signal: AbortSignal, seed?: string) => OperatorContext {
  const { runtime, vocabulary, tenant, allow, secret, scopes = allScopes, intakeOf = 'tenant' } = options;
  const { shared: { jobs } = {}, store } = runtime;
  const shared = sharedContext({
    runtime,
    vocabulary,
    reader: createDirectReader(vocabulary),
    secretOfWebhook: createSealing(secret),
    assertReachable: reachableBy(outboundPolicyByTenant(allow)),
    background: jobs && ordersFor(jobs, store.now),
    tables,
    intakeOf,
  });
  const caller = {
    tenant: createTenantRuntime(runtime, tenant),
    scopes,
    caller: { name: 'anybody', open: true },
    trace: undefined,
  };
  return (signal, seed) => contextOf(shared, { ...caller, seed, signalOf: () => signal });
}

/** Queues background work. A queue is opened with its first job. */
function ordersFor(jobs: JobQueues, now: () => number): Background {
  const deliveries = once(() => createDeliveryQueue(jobs.open<QueuedDelivery>('webhooks'), now));
  const ticks = once(() => createTickSetter(jobs.openScheduler()));
  const push = once(() => createBatchEnqueuer(batchJobs(jobs), now));
  const enqueueBulk = once(() => createBulkEnqueuer(bulkJobs(jobs)));
  return {
    webhooks: { enqueue: (delivery) => deliveries()(delivery) },
    schedules: {
      follow: (tenant, schedule) => ticks().follow(tenant, schedule),
      drop: (tenant, id) => ticks().drop(tenant, id),
    },
    batches: { push: (batch) => push()(batch) },
    bulk: { enqueue: (job) => enqueueBulk()(job) },
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
