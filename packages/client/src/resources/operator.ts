import type { Client, PageOptions, RequestOptions } from '../client.ts';
import type {
  InstallationState,
  Key,
  Limit,
  MadeKey,
  NewKey,
  Queue,
  RefusedJob,
  TenantStorage,
  Worker,
} from '../generated/schemas.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** State of the installation and its queues. The methods need an operator's key. */
export interface OperationsResource {
  /** Returns the state of queues, agenda, workers and Redis, with what needs attention. */
  read(options?: RequestOptions): Promise<InstallationState>;
  /** Lists the connected workers, once for each of their queues. */
  workers(options?: RequestOptions): Promise<readonly Worker[]>;
  /** Starts no further work of a queue; active work continues. */
  pauseQueue(queue: string, options?: RequestOptions): Promise<Queue>;
  resumeQueue(queue: string, options?: RequestOptions): Promise<Queue>;
}

/** Returns the methods of operators. */
export const createOperationsResource = (client: Client): OperationsResource => ({
  read: (options) => client.call('operations.read', {}, options),
  workers: async (options) => (await client.call('workers.list', {}, options)).data,
  pauseQueue: (queue, options) => client.call('queues.pause', { queue }, options),
  resumeQueue: (queue, options) => client.call('queues.resume', { queue }, options),
});

/** API keys of the caller's tenant. The methods need the scope `admin`. */
export interface KeysResource {
  /** Creates a key. Only this response contains the key itself. */
  create(wanted: NewKey, options?: RequestOptions): Promise<MadeKey>;
  list(options?: PageOptions): Pages<Key>;
  revoke(id: string, options?: RequestOptions): Promise<Key>;
}

/** Returns the methods of keys. */
export const createKeysResource = (client: Client): KeysResource => ({
  create: (wanted, options) => client.call('keys.create', wanted, options),
  list: ({ limit, ...options } = {}) => pagesOf((cursor) => client.call('keys.list', { cursor, limit }, options)),
  revoke: (id, options) => client.call('keys.revoke', { id }, options),
});

/** Limits of the share of the workers that tenants and workflows may use. The methods need an operator's key. */
export interface LimitsResource {
  list(options?: RequestOptions): Promise<readonly Limit[]>;
  /** Lists the bytes that tenants have stored, and may store. */
  stored(options?: RequestOptions): Promise<readonly TenantStorage[]>;
  set(limit: Limit, options?: RequestOptions): Promise<Limit>;
  /** Removes a limit. Returns whether there was one. */
  lift(whose: Omit<Limit, 'activations'>, options?: RequestOptions): Promise<boolean>;
}

/** Returns the methods of limits. */
export const createLimitsResource = (client: Client): LimitsResource => ({
  list: async (options) => (await client.call('limits.list', {}, options)).data,
  stored: async (options) => (await client.call('limits.list', {}, options)).stored,
  set: ({ tenant, workflow, activations }, options) =>
    workflow === undefined
      ? client.call('limits.setTenant', { tenant, activations }, options)
      : client.call('limits.setWorkflow', { tenant, workflow, activations }, options),
  async lift({ tenant, workflow }, options) {
    const { lifted } = await (workflow === undefined
      ? client.call('limits.liftTenant', { tenant }, options)
      : client.call('limits.liftWorkflow', { tenant, workflow }, options));
    return lifted;
  },
});

/** Jobs of other programs on the intake queue that were refused. The methods need the scope `admin`. */
export interface IntakeResource {
  /** Lists refused jobs, newest first. */
  refused(options?: PageOptions): Pages<RefusedJob>;
  /** Retries a job. */
  retry(id: string, options?: RequestOptions): Promise<RefusedJob>;
  /** Removes a job, so that another one can have its id. */
  drop(id: string, options?: RequestOptions): Promise<RefusedJob>;
}

/** Returns the methods of refused jobs. */
export const createIntakeResource = (client: Client): IntakeResource => ({
  refused: ({ limit = 200, ...options } = {}) =>
    pagesOf((cursor) => client.call('intake.list', { limit, cursor }, options)),
  retry: (id, options) => client.call('intake.retry', { id }, options),
  drop: (id, options) => client.call('intake.drop', { id }, options),
});
