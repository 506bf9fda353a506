export {
  Batch,
  BatchList,
  BatchRow,
  BatchRowList,
  linesOf,
  NewBatch,
  NewPreview,
  RowColumns,
  type RowNote,
  rowNoteOf,
  TablePreview,
  TableQuery,
} from './batches/batch.ts';
export { createBatch } from './batches/create-batch.ts';
export { previewBatch, startBatch } from './batches/operations.ts';
export { previewOf } from './batches/preview-table.ts';
export { reopened } from './batches/retry-failed.ts';
export { BulkAction, NewBulkAction } from './bulk/bulk.ts';
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
export type { Definition, InputOf, Operation, OperationResult } from './operation/operation.ts';
export { fieldNamesOf, operation } from './operation/operation.ts';
export type { RequestPart } from './operation/refusal.ts';
export { malformed, problemDetailsOf, Refused, unknownRun } from './operation/refusal.ts';
export { type Tool, WaitSeconds } from './operation/tool.ts';
export { operations } from './operations.ts';
export { IntakeRun, RefusedIntakeJobList } from './operator/intake.ts';
export { Key, keyOf, MadeKey, NewKey } from './operator/key.ts';
export { LimitRemoval, TenantLimit } from './operator/limit.ts';
export { ProbeResult } from './operator/queue.ts';
export { resourceOf, resources } from './resources.ts';
export { describeKnown } from './runs/describe.ts';
export { followEvents, listEvents, openMessage, type RunEventSource } from './runs/journal.ts';
export { openArchive, openArtifact } from './runs/reads.ts';
export { handleOf } from './runs/run-handle.ts';
export { type StartContext, startRequestOf } from './runs/start-request.ts';
export {
  NewSchedule,
  NewTimes,
  NextTimes,
  Schedule,
  ScheduleChange,
  ScheduleList,
  ScheduleState,
  ScheduleTick,
  ScheduleTickList,
  scheduleOf,
} from './schedules/schedule.ts';
export { startScheduled } from './schedules/start-scheduled.ts';
export { Attachments, FilePath, fileOf, UploadedFile, UploadForm } from './schemas/file.ts';
export {
  columns,
  createRowReader,
  type ParsedRow,
  type PreviewedTable,
  type RawRow,
  type RowWork,
} from './schemas/parsed-row.ts';
export { Problem, type ProblemDetail, problems } from './schemas/problem.ts';
export { Activation, ActivationDetail, ActivationId, ActivationList, activationOf } from './schemas/runs/activation.ts';
export { Artifact, ArtifactContentQuery, ArtifactList, ArtifactPath, ArtifactQuery } from './schemas/runs/artifact.ts';
export { ForkRun, ReplayRun } from './schemas/runs/descendant.ts';
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
export { ClaimTask, ReleaseTask, TaskDetail, TaskList } from './schemas/runs/inbox.ts';
export {
  budgetOf,
  ResumeRun,
  Run,
  RunId,
  RunLine,
  RunPath,
  RunResult,
  RunStatus,
  runOf,
  SignalRun,
  StartRun,
  StopRun,
  Tag,
} from './schemas/runs/run.ts';
export { graphsOf, RunGraphs } from './schemas/runs/run-graph.ts';
export { RunList, RunListQuery } from './schemas/runs/run-list.ts';
export { TenantEvent } from './schemas/runs/tenant-event.ts';
export { Terminations } from './schemas/runs/termination.ts';
export { ValidateWorkflow, Validation } from './schemas/runs/validation.ts';
export { Wait } from './schemas/runs/wait.ts';
export { Answer, Task, TaskAttachmentPath, taskOf } from './schemas/task.ts';
export {
  Delivery,
  DeliveryList,
  MadeWebhook,
  NewWebhook,
  RunWebhook,
  Webhook,
  WebhookLine,
  WebhookList,
  WebhookSecret,
} from './schemas/webhook.ts';
export {
  Precondition,
  PublishedVersion,
  PublishedWorkflowLine,
  PublishedWorkflowText,
  PublishWorkflow,
  VersionList,
  WorkflowList,
} from './schemas/workflow.ts';
export { openAttachment } from './tasks/operations.ts';
export { inspect, publishedNameIn, type ReadContext, readDefinition } from './workflows/definition.ts';
