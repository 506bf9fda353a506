import * as batches from './batches/operations.ts';
import * as bulk from './bulk/operations.ts';
import * as callers from './callers/operations.ts';
import * as tenantEvents from './events/operations.ts';
import * as files from './files/operations.ts';
import * as models from './models/operations.ts';
import type { Operation } from './operation/operation.ts';
import * as keys from './operator/keys.ts';
import * as limits from './operator/limits.ts';
import * as installation from './operator/operations.ts';
import * as queues from './operator/queues.ts';
import * as refusedJobs from './operator/refused-jobs.ts';
import * as activations from './runs/activations.ts';
import * as runControl from './runs/control.ts';
import * as descendants from './runs/descendants.ts';
import * as runGraph from './runs/graph.ts';
import * as journal from './runs/journal.ts';
import * as runReads from './runs/reads.ts';
import * as runStart from './runs/start.ts';
import * as schedules from './schedules/operations.ts';
import * as tasks from './tasks/operations.ts';
import * as usage from './usage/operations.ts';
import * as webhooks from './webhooks/operations.ts';
import * as workflows from './workflows/operations.ts';
import * as schemas from './workflows/schema.ts';

/** All operations, resource by resource; those of one resource by the names of their exports. */
export const operations: readonly Operation[] = [
  runStart,
  runReads,
  runGraph,
  activations,
  journal,
  tenantEvents,
  runControl,
  descendants,
  tasks,
  files,
  workflows,
  schemas,
  models,
  webhooks,
  schedules,
  batches,
  bulk,
  usage,
  callers,
  keys,
  refusedJobs,
  limits,
  queues,
  installation,
].flatMap((resource) => Object.values<Operation>(resource));
