import type { Background, OperatorContext, QueuedDelivery } from '@millrace/api';
import { createDirectReader } from '@millrace/catalog';
import type { TenantId, Vocabulary } from '@millrace/core';
import { scopes } from '@millrace/core';
import type { ErrandQueues, Runtime } from '@millrace/runtime';
import { createNamespace } from '@millrace/runtime';
import { batchErrands, pushes } from './batches/start-batches.ts';
import { bulkErrands, gives } from './bulk/start-bulk.ts';
import { contextOf, sharedContext } from './context.ts';
import { setsTicks } from './schedules/start-schedules.ts';
import { reachableBy, reachByTenant } from './webhooks/reach-by-tenant.ts';
import { createSealing } from './webhooks/sealing.ts';
import { redelivers } from './webhooks/start-webhooks.ts';

/** Parts that a local context is made of. */
export interface LocalContextOptions {
  readonly runtime: Pick<Runtime, 'runs' | 'store' | 'errands' | 'intake' | 'limits' | 'oversight'>;
  readonly vocabulary: Vocabulary;
  readonly tenant: TenantId;
  /** Destinations that webhooks may reach beside public addresses; absent: this machine, for the default tenant. */
  readonly allow?: readonly string[];
  /** Returns the secret of the installation. */
  readonly secret: () => Promise<Buffer>;
  readonly signal: AbortSignal;
}

/** Makes a context for operations of this process, as an administrator of a tenant. Servers do the background work. */
export function localContext(options: LocalContextOptions): OperatorContext {
  const { runtime, vocabulary, tenant, allow, secret, signal } = options;
  const { errands, store } = runtime;
  const shared = sharedContext({
    runtime,
    vocabulary,
    reader: createDirectReader(vocabulary),
    secretOfWebhook: createSealing(secret),
    assertReachable: reachableBy(reachByTenant(allow)),
    background: errands && ordersFor(errands, store.now),
  });
  const caller = { tenant: createNamespace(runtime, tenant), scopes, seed: undefined, trace: undefined };
  return contextOf(shared, { ...caller, signalOf: () => signal });
}

const ordersFor = (errands: ErrandQueues, now: () => number): Background => ({
  webhooks: { redeliver: redelivers(errands.open<QueuedDelivery>('webhooks'), now) },
  schedules: setsTicks(errands.openTicks()),
  batches: { push: pushes(batchErrands(errands), now) },
  bulk: { give: gives(bulkErrands(errands)) },
});
