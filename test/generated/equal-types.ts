import type * as api from '@millrace/api';
import type * as client from '@millrace/client';
import type * as core from '@millrace/core';
import type { ProjectedEntry } from '@millrace/core/projection';
import type { z } from 'zod';

/* The generated types are those of the schemas: this file compiles only as long as each pair is the same type. */

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Flat<T> = T extends object ? { [K in keyof T]: Flat<T[K]> } : T;
type Same<A, B> = Equal<Flat<A>, Flat<B>>;

type Input<N extends client.OperationName> = client.OperationInput<N>;

export const equal: {
  run: Same<client.Run, api.Run>;
  runLine: Same<client.RunLine, api.RunLine>;
  runResult: Same<client.RunResult, api.RunResult>;
  event: Same<client.RunEvent, api.RunEvent>;
  derived: Same<client.JournalEvent, core.JournalEvent>;
  /** Stored and published events can be projected as they are. */
  stored: core.JournalEntry extends ProjectedEntry ? true : false;
  published: client.RunEvent extends ProjectedEntry ? true : false;
  utterance: Same<client.LiveEvent, api.LiveEvent>;
  graphs: Same<client.RunGraphs, api.RunGraphs>;
  activation: Same<client.ActivationDetail, api.ActivationDetail>;
  terminations: Same<client.Terminations, api.Terminations>;
  task: Same<client.TaskDetail, api.TaskDetail>;
  batch: Same<client.Batch, api.Batch>;
  bulk: Same<client.BulkAction, api.BulkAction>;
  schedule: Same<client.ScheduleState, api.ScheduleState>;
  key: Same<client.Key, api.Key>;
  limit: Same<client.Limit, api.TenantLimit>;
  delivery: Same<client.Delivery, api.Delivery>;
  validation: Same<client.Validation, api.Validation>;
  problem: Same<client.Problem, api.Problem>;
  start: Same<Omit<Input<'runs.start'>, 'prefer'>, z.input<typeof api.StartRun>>;
  list: Same<Input<'runs.list'>, z.input<typeof api.RunListQuery>>;
  answer: Same<Omit<Input<'tasks.answer'>, 'id'>, z.input<typeof api.Answer>>;
  bulkAction: Same<Input<'bulk.create'>, z.input<typeof api.NewBulkAction>>;
  webhook: Same<Input<'webhooks.create'>, z.input<typeof api.NewWebhook>>;
} = {
  run: true,
  runLine: true,
  runResult: true,
  event: true,
  derived: true,
  stored: true,
  published: true,
  utterance: true,
  graphs: true,
  activation: true,
  terminations: true,
  task: true,
  batch: true,
  bulk: true,
  schedule: true,
  key: true,
  limit: true,
  delivery: true,
  validation: true,
  problem: true,
  start: true,
  list: true,
  answer: true,
  bulkAction: true,
  webhook: true,
};
