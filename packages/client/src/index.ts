export type {
  CallOptions,
  Client,
  LiveEvent,
  OperationInput,
  OperationName,
  OperationOutput,
  PageOptions,
  Readiness,
  RequestOptions,
  StreamEvent,
} from './client.ts';
export { routes } from './generated/routes.ts';
export type {
  Activation,
  ActivationDetail,
  Artifact as RunArtifact,
  Batch,
  BatchRow,
  BulkAction,
  CallDetail,
  CallLine,
  CallUsage,
  ContentOperations,
  Delivery,
  Diagnostic,
  EventOperations,
  File as UploadedFile,
  ForkPreview,
  ForkRun,
  InstallationState,
  JournalEvent,
  Key,
  Limit,
  LiveOperations,
  MadeKey,
  MadeWebhook,
  Me,
  Model,
  ModelChange,
  ModelUsage,
  NamedFile,
  NextTimes,
  Operations,
  Problem,
  PublishedVersion,
  PublishedWorkflow,
  Queue,
  RefusedJob,
  ReplayRun,
  Run,
  RunCounts,
  RunDensity,
  RunEvent,
  RunGraphs,
  RunLine,
  RunResult,
  RunWorkflow,
  Schedule,
  ScheduleState,
  ScheduleTick,
  TablePreview,
  Task,
  TaskCounts,
  TaskDetail,
  TenantEvent,
  TenantStorage,
  Terminations,
  UsageLine,
  UsageReport,
  Validation,
  Webhook,
  WebhookLine,
  Worker,
  WorkflowOverview,
  WorkflowText,
  WorkflowVersionWithRuns,
  WorkflowWithRuns,
} from './generated/schemas.ts';
export type { Duration } from './http/duration.ts';
export type { Fetch, HttpResponse } from './http/fetch.ts';
export type { HttpOptions } from './http/http.ts';
export { createHttpClient, partsOf, type RequestParts, type Route } from './http/http-client.ts';
export type { Page, Pages } from './http/pages.ts';
export {
  ApiProblem,
  ConnectionError,
  RunCancelledError,
  RunFailedError,
  UnexpectedResponseError,
  WaitTimeoutError,
} from './http/problem.ts';
export { type SignedIn, signIn, signOut } from './http/sign-in.ts';
export { Millrace } from './millrace.ts';
export type { BatchesResource, BatchOptions, BatchTable, BulkResource, RowQuery } from './resources/batches.ts';
export type { FilesResource, Uploadable } from './resources/files.ts';
export type { ModelsResource } from './resources/models.ts';
export type { IntakeResource, KeysResource, LimitsResource, OperationsResource } from './resources/operator.ts';
export type { RunsQuery, RunsResource, StartedRun, StartOptions } from './resources/runs.ts';
export type { SchedulesResource } from './resources/schedules.ts';
export type { TaskAnswer, TasksQuery, TasksResource } from './resources/tasks.ts';
export type { WatchOptions } from './resources/watch-events.ts';
export type { DeliveryQuery, WebhooksResource } from './resources/webhooks.ts';
export type { WorkflowPrecondition, WorkflowsResource } from './resources/workflows.ts';
export type { CopyOptions, CopyProgress } from './run/copy-progress.ts';
export type { EventOptions, RunHandle } from './run/run-handle.ts';
export type { ResultOptions } from './run/run-result.ts';
export { type ReceivedWebhook, verifyWebhook, type WebhookMessage } from './verify-webhook.ts';
