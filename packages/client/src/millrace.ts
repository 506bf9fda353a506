import type { Batches } from './batches.ts';
import { createBatches } from './batches.ts';
import type { BulkOrders } from './bulk.ts';
import { createBulkOrders } from './bulk.ts';
import type { Files } from './files.ts';
import { createFiles } from './files.ts';
import type { HttpOptions } from './http.ts';
import { createHttp } from './http.ts';
import type { Intake } from './intake.ts';
import { createIntake } from './intake.ts';
import type { Keys } from './keys.ts';
import { createKeys } from './keys.ts';
import type { Limits } from './limits.ts';
import { createLimits } from './limits.ts';
import type { Runs } from './runs.ts';
import { createRuns } from './runs.ts';
import type { Schedules } from './schedules.ts';
import { createSchedules } from './schedules.ts';
import type { Tasks } from './tasks.ts';
import { createTasks } from './tasks.ts';
import type { Webhooks } from './webhooks.ts';
import { createWebhooks } from './webhooks.ts';
import type { Workflows } from './workflows.ts';
import { createWorkflows } from './workflows.ts';

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
