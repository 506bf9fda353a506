export type { Activation } from './activations/activation-projection.ts';
export { type ActivationDetail, type ActivationMessage, findActivation } from './activations/activations.ts';
export type { Artifact } from './activations/artifacts.ts';
export type { ActivationPage } from './activations/list-activations.ts';
export type { CallDetail, CallLine } from './activations/model-calls.ts';
export type { Timeline } from './activations/timeline.ts';
export { diagnoseQueues } from './adapters/bullmq/diagnose-queues.ts';
export { createBullQueue } from './adapters/bullmq/queue/bull-queue.ts';
export type { Limit, Limits } from './adapters/bullmq/queue/fair/limits.ts';
export { createDirectoryBlobs } from './adapters/directory/directory-blobs.ts';
export { createInlineQueue } from './adapters/memory/inline-queue.ts';
export { createLocalRates } from './adapters/memory/local-rates.ts';
export { createMemoryBlobs } from './adapters/memory/memory-blobs.ts';
export { createMemoryStore } from './adapters/memory/store/memory-store.ts';
export { assertRedis } from './adapters/redis/connection/assert-redis.ts';
export { connect } from './adapters/redis/connection/connection.ts';
export { createShard, type Shard } from './adapters/redis/connection/shard.ts';
export { diagnoseRedis } from './adapters/redis/diagnose-redis.ts';
export { outageOf, refusedBy, unreachable, withOutage } from './adapters/redis/outages/outage.ts';
export type { Outages } from './adapters/redis/outages/outage-monitor.ts';
export { createRedisBlobs } from './adapters/redis/redis-blobs.ts';
export { createRedisRates } from './adapters/redis/redis-rates.ts';
export type { RequestCount, RequestCounts } from './adapters/redis/request-counts.ts';
export { createRedisStore } from './adapters/redis/store/redis-store.ts';
export { type ProvidedRedis, provideRedis } from './adapters/redis-server/provide-redis.ts';
export { type Bucket, openBucket } from './adapters/s3/bucket.ts';
export { diagnoseStorage } from './adapters/s3/diagnose-storage.ts';
export { isStorageFailure } from './adapters/s3/failure.ts';
export type { ArchiveLocation, BlobLocation, S3Location } from './adapters/s3/location.ts';
export { s3Archive } from './adapters/s3/s3-archive.ts';
export { createS3Blobs } from './adapters/s3/s3-blobs.ts';
export { auditRun, fold, type Violation } from './audit/audit.ts';
export type { Content, ContentStream } from './blobs/content.ts';
export { attach } from './blobs/content.ts';
export { copyBlobs } from './blobs/copy-blobs.ts';
export { isDigest } from './blobs/digest.ts';
export { blobMissing } from './blobs/long-bodies.ts';
export { LruMap } from './blobs/read-through-cache.ts';
export { type Clock, sleep } from './clock/clock.ts';
export { onward } from './clock/onward.ts';
export { realClock } from './clock/real-clock.ts';
export { createVirtualClock, type VirtualClock } from './clock/virtual-clock.ts';
export type { OpenRun, Verdict } from './commit/cached-run.ts';
export type { RunsOptions } from './commit/run-cache.ts';
export { UnrecoverableRunError } from './commit/unrecoverable-run.ts';
export { inSlices } from './concurrency/in-slices.ts';
export { KeyedMutex } from './concurrency/keyed-mutex.ts';
export { withTimeout } from './concurrency/with-timeout.ts';
export type { RunGraphs } from './contract/run-graphs.ts';
export type {
  AnswerExit,
  CallDecision,
  CallQuestion,
  ForkRequest,
  FoundStep,
  ReplayedCall,
  ReplayedStep,
  ReplayRequest,
  RunDescription,
  RunSource,
  Runs,
  StartRequest,
  Task,
} from './contract/runs.ts';
export { plainEntries } from './events/plain-entry.ts';
export type { PublishedEntry } from './events/read-events.ts';
export { makeDirectory } from './files/make-directory.ts';
export { pathUnwritable } from './files/path-unwritable.ts';
export { type ArchiveFile, localArchive } from './journal/archive/archive-file.ts';
export type { Live } from './live/live.ts';
export type { LiveEvent, LiveOutput } from './live/live-event.ts';
export type { EventGap, TenantEvent } from './live/tenant-events.ts';
export { type Caretaker, startCaretaker } from './maintenance/caretaker.ts';
export { type AgendaByRun, type Inspection, inspectRun, readAgenda } from './maintenance/inspect-run.ts';
export { archivePieces, readArchivedWorkflow, readRunArchive } from './maintenance/retention/run-archive.ts';
export { sweepFilesNow } from './maintenance/retention/sweep-files.ts';
export type { Keep } from './maintenance/retention/tidy.ts';
export { openRuntime, type RuntimeLocation } from './open-runtime.ts';
export { assertReachable } from './outbound/assert-reachable.ts';
export { createGuardedFetch } from './outbound/guarded-fetch.ts';
export { assertListenable, type ListenAddress, listenError } from './outbound/listen-address.ts';
export { isLoopback, isLoopbackHost } from './outbound/loopback.ts';
export { createOutboundPolicy, type OutboundPolicy } from './outbound/outbound-policy.ts';
export { createSecretMask, type SecretMask, secretsIn } from './outbound/secret-mask.ts';
export type { ActiveWork, Finding, InstallationAdmin, Probe } from './ports/admin.ts';
export type { Blobs } from './ports/blobs.ts';
export { assertCron, nextTick, ticksAfter, ticksBetween } from './ports/cron.ts';
export type { Intake, IntakeJob, IntakeResult, JobAttempt, JobQueue, JobQueues, RefusedJob } from './ports/jobs.ts';
export type { Lease } from './ports/lease.ts';
export type { ConsumeOptions, Consumer, Processor, Queue } from './ports/queue.ts';
export type { ProviderLimits, RateRequest, Rates } from './ports/rates.ts';
export type { Scheduler, Tick } from './ports/scheduler.ts';
export type { BatchLine, RowUsage } from './ports/store/batch-rows.ts';
export { BodyMissing, ForeignFormat } from './ports/store/errors.ts';
export type {
  Commit,
  CommitResult,
  LoadedRun,
  Outbox,
  OutboxEntry,
  RunCounts,
  RunCursor,
  RunPage,
  RunQuery,
  RunScope,
  RunSummary,
  Store,
} from './ports/store/port.ts';
export type { Registry } from './ports/store/registry.ts';
export type { TenantBytes } from './ports/store/stored-bytes.ts';
export type { UsageByDay, UsageRow } from './ports/store/usage.ts';
export { type Batch, type Batches, createBatches, openBatches } from './resources/batches.ts';
export type { BulkAction } from './resources/bulk-actions.ts';
export {
  type Deliveries,
  type Delivery,
  type DeliveryAttempt,
  deliveryId,
  deliveryTime,
} from './resources/deliveries.ts';
export type { StoredFile } from './resources/files.ts';
export type { InstalledModels } from './resources/installed-models.ts';
export {
  allSchedules,
  type PastTick,
  type Schedule,
  type Schedules,
  scheduleOf,
  seriesOf,
} from './resources/schedules.ts';
export { createWebhooks, type Webhook, type Webhooks } from './resources/webhooks.ts';
export type {
  HeadPrecondition,
  PublishedWorkflow,
  WorkflowText,
  WorkflowVersion,
} from './resources/workflows.ts';
export { callHash, canonicalArguments } from './runs/call-hash.ts';
export type { Claim } from './runs/claims.ts';
export type { InboxTask } from './runs/inbox.ts';
export { workflowGraphs } from './runs/run-graph.ts';
export type { RunTermination } from './runs/run-terminations.ts';
export { createRuns } from './runs/runs.ts';
export { unservedQueues } from './runs/unserved.ts';
export type { Runtime, SharedParts } from './runtime.ts';
export type { Attempt, AttemptEnd, Instrumentation, StepBegun } from './telemetry/instrumentation.ts';
export { Instrumentations } from './telemetry/instrumentation.ts';
export {
  bucketSeconds,
  installationMetrics,
  type MetricDefinition,
  processMetrics,
  sharedLabels,
} from './telemetry/metric-definitions.ts';
export { createMetrics, type Metrics } from './telemetry/metrics.ts';
export { type MetricsAddress, serveMetrics } from './telemetry/serve-metrics.ts';
export { createTracing, type TracedRequest, type Tracing } from './telemetry/tracing.ts';
export { startWorkerReporter, type WorkerIdentity, type WorkerReporter } from './telemetry/worker-reports.ts';
export { type ApiKey, type ApiKeys, createApiKeys } from './tenant/api-keys.ts';
export { createSessions, type Session, type Sessions, sessionMaxAgeSeconds } from './tenant/sessions.ts';
export { createTenantRuntime, type TenantRuntime } from './tenant/tenant-runtime.ts';
export { version } from './version.ts';
