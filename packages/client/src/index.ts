export type {
  Activation,
  ActivationDetail,
  Artifact as RunArtifact,
  Batch,
  BatchLine,
  BatchRow,
  BulkOrder,
  Delivery,
  Key,
  MadeWebhook,
  Problem,
  RefusedIntakeJob as RefusedJob,
  Run,
  RunEvent,
  RunGraphs,
  RunLine,
  RunResult,
  RunUtterance,
  Schedule,
  ScheduleState,
  TaskDetail,
  TenantLimit as Limit,
  Terminations,
  UploadedFile,
  Validation,
  Webhook,
} from '@millrace/api';
export type { Batches, BatchOptions, RowQuery, Table } from './batches.ts';
export type { BulkOrders } from './bulk.ts';
export type { Duration } from './duration.ts';
export type { Told } from './event-stream.ts';
export type { Files, Uploadable } from './files.ts';
export type { HttpOptions } from './http.ts';
export type { Intake } from './intake.ts';
export type { Keys } from './keys.ts';
export type { Limits } from './limits.ts';
export { Millrace } from './millrace.ts';
export type { Page, Pages } from './pages.ts';
export {
  ApiProblem,
  ConnectionError,
  ForeignAnswerError,
  RunCancelledError,
  RunFailedError,
  WaitTimeoutError,
} from './problem.ts';
export type { EventOptions, RunHandle } from './run-handle.ts';
export type { ResultOptions } from './run-result.ts';
export type { Runs, RunsQuery, StartOptions } from './runs.ts';
export type { Schedules } from './schedules.ts';
export type { TaskAnswer, Tasks, TasksQuery } from './tasks.ts';
export { type ReceivedWebhook, verifyWebhook, type WebhookMessage } from './verify-webhook.ts';
export type { Webhooks } from './webhooks.ts';
export type { Expectation, Workflows } from './workflows.ts';
