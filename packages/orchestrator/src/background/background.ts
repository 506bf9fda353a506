import type { Context, QueuedDelivery } from '@millrace/api';
import type { WorkflowReader } from '@millrace/catalog';
import type { Runtime, SharedParts } from '@millrace/runtime';
import type { Logger } from 'pino';
import type { RunningBatches } from './batches/start-batches.ts';
import { batchJobs, startBatches } from './batches/start-batches.ts';
import type { RunningBulk } from './bulk/start-bulk.ts';
import { bulkJobs, startBulk } from './bulk/start-bulk.ts';
import { startOutboxRelay } from './outbox-relay.ts';
import type { RunningSchedules } from './schedules/start-schedules.ts';
import { startSchedules } from './schedules/start-schedules.ts';
import { outboundPolicyByTenant, reachableBy } from './webhooks/outbound-policy-by-tenant.ts';
import { createSealing } from './webhooks/sealing.ts';
import type { RunningWebhooks } from './webhooks/start-webhooks.ts';
import { startWebhooks } from './webhooks/start-webhooks.ts';

/** Parts that the background work of an orchestrator needs. */
export interface BackgroundOptions {
  readonly reader: WorkflowReader;
  readonly runtime: Pick<Runtime, 'runs' | 'store' | 'shared'>;
  readonly log: Logger;
  /**
   * Returns the secret of the installation, from which those of webhooks are derived; called when it is first needed.
   */
  readonly secret: () => Promise<Buffer>;
  readonly webhooks?: WebhookSettings;
}

/** Settings of an installation for webhooks. */
export interface WebhookSettings {
  /**
   * Destinations that webhooks may reach besides public addresses, see createOutboundPolicy; default: this machine, for
   * the default tenant.
   */
  readonly allow?: readonly string[];
  /** Wait after the first attempt of a delivery, in milliseconds. */
  readonly delayMs?: number;
}

/** Background work of an orchestrator. Every orchestrator does it; they share the work. */
export interface Background extends Pick<Context, 'secretOfWebhook' | 'assertReachable'> {
  /** Absent where runs live in one process only: all of it needs Redis. */
  readonly work: RunningWork | undefined;
  close(): Promise<void>;
}

/** The kinds of background work. */
interface RunningWork {
  readonly webhooks: RunningWebhooks;
  readonly schedules: RunningSchedules;
  readonly batches: RunningBatches;
  readonly bulk: RunningBulk;
}

/** Starts the background work. */
export function startBackground(options: BackgroundOptions): Background {
  const { runtime, secret, webhooks: { allow, ...settings } = {} } = options;
  const secretOfWebhook = createSealing(secret);
  const reach = outboundPolicyByTenant(allow);
  const assertReachable = reachableBy(reach);
  const { shared } = runtime;
  const started = shared && startWork({ ...options, shared, settings, reach, secretOfWebhook, assertReachable });
  return {
    secretOfWebhook,
    assertReachable,
    work: started,
    close: async () => started?.close(),
  };
}

interface WorkOptions extends BackgroundOptions, Pick<Context, 'secretOfWebhook' | 'assertReachable'> {
  readonly shared: SharedParts;
  readonly settings: Omit<WebhookSettings, 'allow'>;
  readonly reach: ReturnType<typeof outboundPolicyByTenant>;
}

function startWork(options: WorkOptions): RunningWork & { close(): Promise<void> } {
  const { runtime, reader, log, secretOfWebhook, assertReachable, reach, settings } = options;
  const { jobs } = options.shared;
  const webhooks = startWebhooks({
    sources: runtime,
    jobs: jobs.open<QueuedDelivery>('webhooks'),
    secretOfWebhook,
    reach,
    ...settings,
  });
  const starting = { runtime, reader, assertReachable, log };
  const ticks = jobs.openScheduler();
  const batches = startBatches({ ...starting, jobs: batchJobs(jobs) });
  const schedules = startSchedules({ ...starting, ticks });
  const bulk = startBulk({ runtime, jobs: bulkJobs(jobs) });
  const outboxRelay = startOutboxRelay({
    outbox: runtime.store.outbox,
    log,
    async handle(entry) {
      await Promise.all([webhooks.announce(entry), batches.note(entry)]);
    },
  });
  return {
    webhooks,
    schedules,
    batches,
    bulk,
    async close() {
      await Promise.all([outboxRelay.close(), schedules.close()]);
      await Promise.all([webhooks.close(), batches.close(), bulk.close()]);
    },
  };
}
