import type { Client, RequestOptions } from '../client.ts';
import type { InstallationState, Queue, Worker } from '../generated/schemas.ts';

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
