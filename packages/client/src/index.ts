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
export type { StreamEvent } from './http/event-stream.ts';
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
export type { BatchesResource, BatchOptions, BatchTable, RowQuery } from './resources/batches.ts';
export type { BulkResource } from './resources/bulk.ts';
export type { FilesResource, Uploadable } from './resources/files.ts';
export type { IntakeResource } from './resources/intake.ts';
export type { KeysResource } from './resources/keys.ts';
export type { LimitsResource } from './resources/limits.ts';
export type { EventOptions, RunHandle } from './resources/run-handle.ts';
export type { ResultOptions } from './resources/run-result.ts';
export type { RunsQuery, RunsResource, StartOptions } from './resources/runs.ts';
export type { SchedulesResource } from './resources/schedules.ts';
export type { TaskAnswer, TasksQuery, TasksResource } from './resources/tasks.ts';
export type { WebhooksResource } from './resources/webhooks.ts';
export type { WorkflowPrecondition, WorkflowsResource } from './resources/workflows.ts';
export { type ReceivedWebhook, verifyWebhook, type WebhookMessage } from './verify-webhook.ts';
