import type { HttpOptions } from './http/http.ts';
import { createHttp } from './http/http.ts';
import type { Batches } from './resources/batches.ts';
import { createBatches } from './resources/batches.ts';
import type { BulkOrders } from './resources/bulk.ts';
import { createBulkOrders } from './resources/bulk.ts';
import type { Files } from './resources/files.ts';
import { createFiles } from './resources/files.ts';
import type { Intake } from './resources/intake.ts';
import { createIntake } from './resources/intake.ts';
import type { Keys } from './resources/keys.ts';
import { createKeys } from './resources/keys.ts';
import type { Limits } from './resources/limits.ts';
import { createLimits } from './resources/limits.ts';
import type { Runs } from './resources/runs.ts';
import { createRuns } from './resources/runs.ts';
import type { Schedules } from './resources/schedules.ts';
import { createSchedules } from './resources/schedules.ts';
import type { Tasks } from './resources/tasks.ts';
import { createTasks } from './resources/tasks.ts';
import type { Webhooks } from './resources/webhooks.ts';
import { createWebhooks } from './resources/webhooks.ts';
import type { Workflows } from './resources/workflows.ts';
import { createWorkflows } from './resources/workflows.ts';

/** An installation of Millrace, seen through its HTTP API with one key. It holds no connection. */
export class Millrace {
  readonly runs: Runs;
  readonly tasks: Tasks;
  readonly files: Files;
  readonly workflows: Workflows;
  readonly batches: Batches;
  readonly bulk: BulkOrders;
  readonly schedules: Schedules;
  readonly webhooks: Webhooks;
  readonly keys: Keys;
  readonly limits: Limits;
  readonly intake: Intake;
  /** Whether it can do its work, and how many workers there are. */
  readonly readiness: () => Promise<{ readonly status: 'ready'; readonly workers: number }>;

  constructor(options: HttpOptions) {
    const http = createHttp(options);
    this.runs = createRuns(http);
    this.tasks = createTasks(http);
    this.files = createFiles(http);
    this.workflows = createWorkflows(http);
    this.batches = createBatches(http);
    this.bulk = createBulkOrders(http);
    this.schedules = createSchedules(http);
    this.webhooks = createWebhooks(http);
    this.keys = createKeys(http);
    this.limits = createLimits(http);
    this.intake = createIntake(http);
    this.readiness = () => http.json('readyz');
  }
}
