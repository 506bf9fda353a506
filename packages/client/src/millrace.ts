import type { HttpOptions } from './http/http.ts';
import { createHttp } from './http/http.ts';
import type { BatchesResource } from './resources/batches.ts';
import { createBatchesResource } from './resources/batches.ts';
import type { BulkResource } from './resources/bulk.ts';
import { createBulkResource } from './resources/bulk.ts';
import type { FilesResource } from './resources/files.ts';
import { createFilesResource } from './resources/files.ts';
import type { IntakeResource } from './resources/intake.ts';
import { createIntakeResource } from './resources/intake.ts';
import type { KeysResource } from './resources/keys.ts';
import { createKeysResource } from './resources/keys.ts';
import type { LimitsResource } from './resources/limits.ts';
import { createLimitsResource } from './resources/limits.ts';
import type { RunsResource } from './resources/runs.ts';
import { createRunsResource } from './resources/runs.ts';
import type { SchedulesResource } from './resources/schedules.ts';
import { createSchedulesResource } from './resources/schedules.ts';
import type { TasksResource } from './resources/tasks.ts';
import { createTasksResource } from './resources/tasks.ts';
import type { WebhooksResource } from './resources/webhooks.ts';
import { createWebhooksResource } from './resources/webhooks.ts';
import type { WorkflowsResource } from './resources/workflows.ts';
import { createWorkflowsResource } from './resources/workflows.ts';

/** An installation of Millrace, seen through its HTTP API with one key. It holds no connection. */
export class Millrace {
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
  readonly intake: IntakeResource;
  /** Whether it can do its work, and how many workers there are. */
  readonly readiness: () => Promise<{ readonly status: 'ready'; readonly workers: number }>;

  constructor(options: HttpOptions) {
    const http = createHttp(options);
    this.runs = createRunsResource(http);
    this.tasks = createTasksResource(http);
    this.files = createFilesResource(http);
    this.workflows = createWorkflowsResource(http);
    this.batches = createBatchesResource(http);
    this.bulk = createBulkResource(http);
    this.schedules = createSchedulesResource(http);
    this.webhooks = createWebhooksResource(http);
    this.keys = createKeysResource(http);
    this.limits = createLimitsResource(http);
    this.intake = createIntakeResource(http);
    this.readiness = () => http.json('readyz');
  }
}
