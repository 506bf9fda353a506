export {
  Batch,
  BatchList,
  BatchListQuery,
  BatchPath,
  BatchRow,
  BatchRowList,
  BatchRowQuery,
  type BatchRowQueryInput,
  batchRowOf,
  linesOf,
  NewBatch,
  type NewBatchInput,
  NewPreview,
  RowColumns,
  type RowNote,
  rowNoteOf,
  TablePreview,
  TableQuery,
} from './batches/batch.ts';
export { createBatch } from './batches/create-batch.ts';
export {
  cancelBatch,
  deleteBatch,
  getBatch,
  listBatches,
  listRows,
  previewBatch,
  retryFailedRows,
  retryOneRow,
  startBatch,
} from './batches/operations.ts';
export { previewOf } from './batches/preview-table.ts';
export { reopened } from './batches/retry-failed.ts';
export { BulkAction, BulkPath, bulkActionOf, NewBulkAction, type NewBulkActionInput } from './bulk/bulk.ts';
export { createBulkAction, getBulkAction } from './bulk/operations.ts';
export { type TenantEventSource, watchEvents } from './events/operations.ts';
export { openFile, uploadFile } from './files/operations.ts';
export { modelRows } from './models/model.ts';
export { assertRedis, type Background, type QueuedDelivery } from './operation/background.ts';
export {
  assertScope,
  call,
  canRead,
  executeOperation,
  hasScope,
  jsonOf,
  outputOf,
} from './operation/call.ts';
export type {
  BrowserSession,
  CallerIdentity,
  Context,
  Installation,
  OperatorContext,
  SecretOfWebhook,
  Tables,
  UploadedContent,
} from './operation/context.ts';
export type { Definition, InputOf, Operation, OperationResult, RequiredScope } from './operation/operation.ts';
export { fieldNamesOf, operation } from './operation/operation.ts';
export type { RequestPart } from './operation/refusal.ts';
export { malformed, problemDetailsOf, Refused, unknownRun } from './operation/refusal.ts';
export { type Tool, WaitSeconds } from './operation/tool.ts';
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
export { LimitRemoval, NewTenantLimit, TenantLimit, TenantLimitPath, WorkflowLimitPath } from './operator/limit.ts';
export { ProbeResult, QueuePath, QueueState, WorkerState } from './operator/queue.ts';
export { resourceOf, resources } from './resources.ts';
export { assertReached, describeKnown } from './runs/describe.ts';
export { followEvents, listEvents, openMessage, type RunEventSource } from './runs/journal.ts';
export { openArchive, openArtifact } from './runs/reads.ts';
export { handleOf } from './runs/run-handle.ts';
export { type StartContext, startRequestOf } from './runs/start-request.ts';
export {
  changeSchedule,
  createSchedule,
  deleteSchedule,
  getSchedule,
  listSchedules,
  listTicks,
  previewTimes,
  triggerSchedule,
} from './schedules/operations.ts';
export {
  NewSchedule,
  type NewScheduleInput,
  NewTimes,
  NextTimes,
  Schedule,
  ScheduleChange,
  type ScheduleChangeInput,
  ScheduleList,
  ScheduleListQuery,
  SchedulePath,
  ScheduleState,
  ScheduleTick,
  ScheduleTickList,
  ScheduleTickQuery,
  scheduleOf,
  tickOf,
} from './schedules/schedule.ts';
export { startScheduled } from './schedules/start-scheduled.ts';
export { Attachments, FileId, FilePath, fileOf, UploadedFile, UploadForm } from './schemas/file.ts';
export { PageLimit } from './schemas/page.ts';
export {
  columns,
  createRowReader,
  type ParsedRow,
  type PreviewedTable,
  type RawRow,
  type RowWork,
} from './schemas/parsed-row.ts';
export { Problem, type ProblemDetail, problems } from './schemas/problem.ts';
export {
  Activation,
  ActivationDetail,
  ActivationId,
  ActivationList,
  ActivationListQuery,
  ActivationPath,
  activationDetailOf,
  activationListOf,
  activationOf,
} from './schemas/runs/activation.ts';
export {
  Artifact,
  ArtifactContentQuery,
  ArtifactList,
  ArtifactPath,
  ArtifactQuery,
  artifactOf,
} from './schemas/runs/artifact.ts';
export { ForkRun, type ForkRunInput, ReplayRun, type ReplayRunInput } from './schemas/runs/descendant.ts';
export {
  EventId,
  EventOrder,
  EventTypes,
  Live,
  type LiveEvent,
  MessagePath,
  RunEvent,
  RunEvents,
  RunMessage,
} from './schemas/runs/event.ts';
export {
  ClaimTask,
  ReleaseTask,
  TaskDetail,
  TaskList,
  TaskListQuery,
  type TaskListQueryInput,
  taskDetailOf,
} from './schemas/runs/inbox.ts';
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
} from './schemas/runs/run.ts';
export { graphsOf, RunGraphs, RunGraphsQuery } from './schemas/runs/run-graph.ts';
export { RunList, RunListQuery, type RunListQueryInput, runListOf } from './schemas/runs/run-list.ts';
export { TenantEvent } from './schemas/runs/tenant-event.ts';
export { Terminations, terminationsOf } from './schemas/runs/termination.ts';
export { ValidateWorkflow, Validation } from './schemas/runs/validation.ts';
export { Preference, Wait } from './schemas/runs/wait.ts';
export { Answer, type AnswerInput, Assignee, Task, TaskAttachmentPath, TaskPath, taskOf } from './schemas/task.ts';
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
  WebhookLine,
  WebhookList,
  WebhookLogPath,
  WebhookPath,
  WebhookSecret,
  webhookOf,
} from './schemas/webhook.ts';
export {
  diagnosticOf,
  Precondition,
  PublishedVersion,
  PublishedWorkflowLine,
  PublishedWorkflowText,
  PublishWorkflow,
  VersionList,
  VersionListQuery,
  VersionPath,
  VersionText,
  WorkflowList,
  WorkflowListQuery,
  WorkflowPath,
  WorkflowReference,
  workflowLineOf,
} from './schemas/workflow.ts';
export { answerTask } from './tasks/answer-task.ts';
export { openAttachment } from './tasks/operations.ts';
export { inspect, publishedNameIn, type ReadContext, readDefinition } from './workflows/definition.ts';
