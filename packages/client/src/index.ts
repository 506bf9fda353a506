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
export type { Duration } from './http/duration.ts';
export type { Told } from './http/event-stream.ts';
export type { HttpOptions } from './http/http.ts';
export type { Page, Pages } from './http/pages.ts';
export {
  ApiProblem,
  ConnectionError,
  ForeignAnswerError,
  RunCancelledError,
  RunFailedError,
  WaitTimeoutError,
} from './http/problem.ts';
export { Millrace } from './millrace.ts';
export type { Batches, BatchOptions, RowQuery, Table } from './resources/batches.ts';
export type { BulkOrders } from './resources/bulk.ts';
export type { Files, Uploadable } from './resources/files.ts';
export type { Intake } from './resources/intake.ts';
export type { Keys } from './resources/keys.ts';
export type { Limits } from './resources/limits.ts';
export type { EventOptions, RunHandle } from './resources/run-handle.ts';
export type { ResultOptions } from './resources/run-result.ts';
export type { Runs, RunsQuery, StartOptions } from './resources/runs.ts';
export type { Schedules } from './resources/schedules.ts';
export type { TaskAnswer, Tasks, TasksQuery } from './resources/tasks.ts';
export type { Webhooks } from './resources/webhooks.ts';
export type { Expectation, Workflows } from './resources/workflows.ts';
export { type ReceivedWebhook, verifyWebhook, type WebhookMessage } from './verify-webhook.ts';
