export type { Background, QueuedDelivery } from './background.ts';
export {
  Batch,
  BatchLine,
  BatchList,
  BatchListQuery,
  BatchPath,
  BatchRow,
  BatchRowList,
  BatchRowQuery,
  type BatchRowQueryInput,
  batchLineOf,
  batchRowOf,
  linesOf,
  NewBatch,
  type NewBatchInput,
  TableQuery,
} from './batches/batch.ts';
export { createBatch } from './batches/create-batch.ts';
export {
  cancelBatch,
  deleteBatch,
  getBatch,
  listBatches,
  listRows,
  retryFailedRows,
} from './batches/operations.ts';
export { columns, createRowReader, type ParsedRow, type RawRow, type RowWork } from './batches/parsed-row.ts';
export { reopened } from './batches/reopen.ts';
export { noteIn, type RowNote } from './batches/row-note.ts';
export { BulkOrder, BulkPath, bulkOrderOf, NewBulkOrder, type NewBulkOrderInput } from './bulk/bulk.ts';
export { createBulkOrder, getBulkOrder } from './bulk/operations.ts';
export { assertScope, call, hasScope, outputOf, saidOf } from './call.ts';
export type { Context, Installation, OperatorContext } from './context.ts';
export { Attachments, FileId, FilePath, fileOf, UploadedFile, UploadForm } from './files/file.ts';
export { omitUndefined, type WithoutUndefined } from './omit-undefined.ts';
export type { Definition, InputOf, Operation, OperationResult, RequiredScope } from './operation.ts';
export { namesIn, operation } from './operation.ts';
export { operations } from './operations.ts';
export {
  IntakeRun,
  RefusedIntakeJob,
  RefusedIntakeJobList,
  RefusedIntakeJobPath,
  refusedIntakeJobOf,
  tenantIn,
} from './operator/intake.ts';
export { Key, KeyPath, keyOf, MadeKey, NewKey, type NewKeyInput } from './operator/key.ts';
export { LiftedLimit, NewTenantLimit, TenantLimit, TenantLimitPath, WorkflowLimitPath } from './operator/limit.ts';
export { ProbeResult, QueuePath, QueueState, WorkerState } from './operator/queue.ts';
export { PageLimit } from './page.ts';
export { Problem, type ProblemDetail, problems } from './problem.ts';
export type { RequestPart } from './refusal.ts';
export { malformed, Refused, unknownRun } from './refusal.ts';
export {
  Activation,
  ActivationDetail,
  ActivationId,
  ActivationList,
  ActivationListQuery,
  ActivationPath,
  activationDetailOf,
  activationOf,
  graphsOf,
  RunGraphs,
} from './runs/activation.ts';
export { Artifact, ArtifactList, ArtifactPath, ArtifactQuery, artifactOf } from './runs/artifact.ts';
export { assertReached } from './runs/assert-reached.ts';
export { ForkRun, type ForkRunInput, ReplayRun, type ReplayRunInput } from './runs/descendant.ts';
export { describeKnown } from './runs/describe.ts';
export { EventId, MessagePath, MessageText, RunEvent, RunEvents, type RunUtterance } from './runs/event.ts';
export { listEvents } from './runs/journal.ts';
export {
  budgetOf,
  ResumeRun,
  type ResumeRunInput,
  Run,
  RunId,
  RunLine,
  RunPath,
  RunResult,
  RunStatus,
  runLineOf,
  runOf,
  SignalRun,
  StartRun,
  type StartRunInput,
  StopRun,
  type StopRunInput,
  Tag,
} from './runs/run.ts';
export { handleOf } from './runs/run-handle.ts';
export { RunList, RunListQuery, type RunListQueryInput, runListOf } from './runs/run-list.ts';
export { type StartContext, startRequestOf } from './runs/start-request.ts';
export { Terminations, terminationsOf } from './runs/termination.ts';
export { Preference, Wait } from './runs/wait.ts';
export {
  changeSchedule,
  createSchedule,
  deleteSchedule,
  getSchedule,
  listSchedules,
  triggerSchedule,
} from './schedules/operations.ts';
export {
  lastOf,
  NewSchedule,
  type NewScheduleInput,
  Schedule,
  ScheduleChange,
  type ScheduleChangeInput,
  ScheduleList,
  ScheduleListQuery,
  SchedulePath,
  ScheduleState,
  scheduleOf,
} from './schedules/schedule.ts';
export { startScheduled } from './schedules/start-scheduled.ts';
export { answerTask, placeOf } from './tasks/answer-task.ts';
export {
  ClaimTask,
  ReleaseTask,
  TaskDetail,
  TaskList,
  TaskListQuery,
  type TaskListQueryInput,
  taskDetailOf,
} from './tasks/inbox.ts';
export { Answer, type AnswerInput, Assignee, Task, TaskPath, taskOf } from './tasks/task.ts';
export { type Tool, WaitSeconds } from './tool.ts';
export type { SecretOfWebhook } from './webhooks/secret-of-webhook.ts';
export {
  Delivery,
  DeliveryList,
  DeliveryListQuery,
  DeliveryPath,
  deliveryOf,
  MadeWebhook,
  NewWebhook,
  type NewWebhookInput,
  RunWebhook,
  Webhook,
  WebhookList,
  WebhookLogPath,
  WebhookPath,
  WebhookSecret,
  webhookOf,
} from './webhooks/webhook.ts';
export { inspect, nameIn, type ReadContext, readDefinition } from './workflows/definition.ts';
export {
  diagnosticOf,
  Precondition,
  PublishedVersion,
  PublishedWorkflowLine,
  PublishedWorkflowText,
  PublishWorkflow,
  ValidateWorkflow,
  Validation,
  VersionList,
  VersionListQuery,
  VersionPath,
  VersionText,
  WorkflowList,
  WorkflowListQuery,
  WorkflowPath,
  WorkflowReference,
  workflowLineOf,
} from './workflows/workflow.ts';
