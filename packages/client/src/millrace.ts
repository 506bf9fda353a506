import type { Client, OperationInput, Readiness, RequestOptions } from './client.ts';
import type { Me, TenantEvent, UsageReport } from './generated/schemas.ts';
import type { HttpOptions } from './http/http.ts';
import { createHttpClient } from './http/http-client.ts';
import type { BatchesResource, BulkResource } from './resources/batches.ts';
import { createBatchesResource, createBulkResource } from './resources/batches.ts';
import type { FilesResource } from './resources/files.ts';
import { createFilesResource } from './resources/files.ts';
import type { ModelsResource } from './resources/models.ts';
import { createModelsResource } from './resources/models.ts';
import type { IntakeResource, KeysResource, LimitsResource, OperationsResource } from './resources/operator.ts';
import {
  createIntakeResource,
  createKeysResource,
  createLimitsResource,
  createOperationsResource,
} from './resources/operator.ts';
import type { RunsResource } from './resources/runs.ts';
import { createRunsResource } from './resources/runs.ts';
import type { SchedulesResource } from './resources/schedules.ts';
import { createSchedulesResource } from './resources/schedules.ts';
import type { TasksResource } from './resources/tasks.ts';
import { createTasksResource } from './resources/tasks.ts';
import type { WatchOptions } from './resources/watch-events.ts';
import { watchEvents } from './resources/watch-events.ts';
import type { WebhooksResource } from './resources/webhooks.ts';
import { createWebhooksResource } from './resources/webhooks.ts';
import type { WorkflowsResource } from './resources/workflows.ts';
import { createWorkflowsResource } from './resources/workflows.ts';

/** Installation of Millrace as one tenant sees it: over its HTTP API with a key, or over another client. */
export class Millrace implements Pick<Client, 'call' | 'readiness'> {
  readonly runs: RunsResource;
  readonly tasks: TasksResource;
  readonly files: FilesResource;
  readonly workflows: WorkflowsResource;
  readonly batches: BatchesResource;
  readonly bulk: BulkResource;
  readonly schedules: SchedulesResource;
  readonly webhooks: WebhooksResource;
  readonly keys: KeysResource;
  readonly limits: LimitsResource;
  readonly models: ModelsResource;
  readonly intake: IntakeResource;
  /** Calls an operation by its name. */
  readonly call: Client['call'];
  /** Returns the number of workers. Throws ApiProblem, `NOT_READY`, if no work can be done. */
  readonly readiness: (options?: RequestOptions) => Promise<Readiness>;
  /** Returns calls of models with their tokens and cost, and ends of runs, by day, workflow or model. */
  readonly usage: (query?: OperationInput<'usage.read'>, options?: RequestOptions) => Promise<UsageReport>;
  /** Returns the state of the installation; needs an operator's key. */
  readonly operations: OperationsResource;
  /** Returns the name and scopes of the caller, and the version of the server. */
  readonly me: (options?: RequestOptions) => Promise<Me>;

  /** Yields changes of runs, questions, batches and bulk actions as they happen; `gap`: read lists again. */
  readonly events: (options?: WatchOptions) => AsyncGenerator<TenantEvent>;

  constructor(place: HttpOptions | Client) {
    const client = 'call' in place ? place : createHttpClient(place);
    this.runs = createRunsResource(client);
    this.tasks = createTasksResource(client);
    this.files = createFilesResource(client);
    this.workflows = createWorkflowsResource(client);
    this.batches = createBatchesResource(client);
    this.bulk = createBulkResource(client);
    this.schedules = createSchedulesResource(client);
    this.webhooks = createWebhooksResource(client);
    this.keys = createKeysResource(client);
    this.limits = createLimitsResource(client);
    this.models = createModelsResource(client);
    this.intake = createIntakeResource(client);
    this.operations = createOperationsResource(client);
    this.call = client.call;
    this.readiness = client.readiness;
    this.events = (options = {}) => watchEvents(client, options);
    this.usage = (query = {}, options) => client.call('usage.read', query, options);
    this.me = (options) => client.call('me.get', {}, options);
  }
}
