import type { z } from 'zod';
import type * as activation from './contracts/activation.ts';
import type * as artifact from './contracts/artifact.ts';
import type * as batch from './contracts/batch.ts';
import type * as bulk from './contracts/bulk.ts';
import type * as descendant from './contracts/descendant.ts';
import type * as event from './contracts/event.ts';
import type * as file from './contracts/file.ts';
import type * as inbox from './contracts/inbox.ts';
import type * as key from './contracts/key.ts';
import type * as limit from './contracts/limit.ts';
import type * as run from './contracts/run.ts';
import type * as runList from './contracts/run-list.ts';
import type * as schedule from './contracts/schedule.ts';
import type * as task from './contracts/task.ts';
import type * as termination from './contracts/termination.ts';
import type * as webhook from './contracts/webhook.ts';
import type * as workflow from './contracts/workflow.ts';

/*
 * What goes over the wire, as types for those who call the API: answers as they come, and requests (…Input) as they are
 * written. There is nothing here at run time.
 */

export type Activation = z.output<typeof activation.Activation>;
export type ActivationDetail = z.output<typeof activation.ActivationDetail>;
export type RunGraphs = z.output<typeof activation.RunGraphs>;
export type RunArtifact = z.output<typeof artifact.Artifact>;
export type ReplayRunInput = NonNullable<z.input<typeof descendant.ReplayRun>>;
export type ForkRunInput = z.input<typeof descendant.ForkRun>;
export type RunEvent = z.output<typeof event.RunEvent>;
export type RunUtterance = event.RunUtterance;
export type UploadedFile = z.output<typeof file.File>;
export type TaskDetail = z.output<typeof inbox.TaskDetail>;
export type TaskListQueryInput = z.input<typeof inbox.TaskListQuery>;
export type AnswerInput = z.input<typeof task.Answer>;
export type Key = z.output<typeof key.Key>;
export type NewKeyInput = z.input<typeof key.NewKey>;
export type MadeKey = z.output<typeof key.MadeKey>;
export type Limit = z.output<typeof limit.Limit>;
export type Run = z.output<typeof run.Run>;
export type RunLine = z.output<typeof run.RunLine>;
export type RunResult = z.output<typeof run.RunResult>;
export type StartRunInput = z.input<typeof run.StartRun>;
export type StopRunInput = NonNullable<z.input<typeof run.StopRun>>;
export type ResumeRunInput = NonNullable<z.input<typeof run.ResumeRun>>;
export type RunListQueryInput = z.input<typeof runList.RunListQuery>;
export type Terminations = z.output<typeof termination.Terminations>;
export type PublishedVersion = z.output<typeof workflow.Published>;
export type PublishedWorkflowLine = z.output<typeof workflow.PublishedWorkflowLine>;
export type PublishedWorkflowText = z.output<typeof workflow.PublishedWorkflowText>;
export type WorkflowText = z.output<typeof workflow.VersionText>;
export type Validation = z.output<typeof workflow.Validation>;
export type Webhook = z.output<typeof webhook.Webhook>;
export type NewWebhookInput = z.input<typeof webhook.NewWebhook>;
export type MadeWebhook = z.output<typeof webhook.MadeWebhook>;
export type Delivery = z.output<typeof webhook.Delivery>;
export type NewBatchInput = z.input<typeof batch.NewBatch>;
export type Batch = z.output<typeof batch.Batch>;
export type BatchLine = z.output<typeof batch.BatchLineOfList>;
export type BatchRow = z.output<typeof batch.BatchRow>;
export type BatchRowQueryInput = z.input<typeof batch.BatchRowQuery>;
export type NewScheduleInput = z.input<typeof schedule.NewSchedule>;
export type ScheduleChangeInput = z.input<typeof schedule.ScheduleChange>;
export type Schedule = z.output<typeof schedule.Schedule>;
export type ScheduleState = z.output<typeof schedule.ScheduleState>;
export type BulkOrder = z.output<typeof bulk.BulkOrder>;
export type NewBulkOrderInput = z.input<typeof bulk.NewBulkOrder>;
