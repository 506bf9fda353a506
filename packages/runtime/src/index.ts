export type { RunsOptions } from './access.ts';
export type { ActivationDetail } from './activations.ts';
export type {
  ForkRequest,
  Rehearsal,
  ReplayRequest,
  RunDescription,
  RunSource,
  Runs,
  StartRequest,
  Task,
} from './api.ts';
export { type ApiKey, type ApiKeys, createApiKeys } from './api-keys.ts';
export type { Artifact } from './artifacts.ts';
export { type AuditedRun, auditRun, countSettled, fold, type Violation } from './audit.ts';
export { type Batch, type Batches, createBatches, type Making, openBatches } from './batches.ts';
export { attach } from './blobs/attach.ts';
export { diagnosePlaces } from './blobs/diagnose.ts';
export { createDirectoryBlobs } from './blobs/directory-blobs.ts';
export { createMemoryBlobs } from './blobs/memory-blobs.ts';
export type { Blobs } from './blobs/port.ts';
export { createRedisBlobs } from './blobs/redis-blobs.ts';
export { brought } from './brought.ts';
export type { BulkOrder } from './bulk-orders.ts';
export { type Caretaker, type CaretakerOptions, startCaretaker } from './caretaker.ts';
export type { Claim } from './claims.ts';
export type { Content } from './content.ts';
export { type Deliveries, type Delivery, type DeliveryAttempt, deliveryId } from './deliveries.ts';
export type { ErrandQueues, Errands, Try } from './errands/port.ts';
export type { StoredFile } from './files.ts';
export type { Finding } from './finding.ts';
export type { InboxTask } from './inbox.ts';
export { type Inspection, type InspectOptions, inspectRun } from './inspect-run.ts';
export type { Intake, IntakeJob, RefusedJob, Taken } from './intake/port.ts';
export type { Live } from './live/live.ts';
export type { SpeakingStep, Speech, Utterance } from './live/utterance.ts';
export { blobMissing } from './long-bodies.ts';
export { isLoopback, isLoopbackHost } from './loopback.ts';
export { createNamespace, type Namespace } from './namespace.ts';
export { type BlobPlace, openRuntime, type Runtime, type Where } from './open-runtime.ts';
export { assertReachable } from './outbound/assert-reachable.ts';
export { createGuardedFetch } from './outbound/guarded-fetch.ts';
export { createReach, type Reach } from './outbound/reach.ts';
export { type BullQueueOptions, createBullQueue } from './queue/bull-queue.ts';
export { diagnoseQueues } from './queue/diagnose.ts';
export type { Limit, Limits } from './queue/fair/limits.ts';
export { createInlineQueue, type InlineQueueOptions } from './queue/inline-queue.ts';
export type { Consumer, Consuming, Processor, Queue, QueueLoad } from './queue/port.ts';
export type { Probe, QueueDesk, QueueStand, WorkerStand } from './queue/queue-desk.ts';
export { type Unserved, unservedBy } from './queue/unserved.ts';
export { createLocalRates } from './rates/local-rates.ts';
export type { RateAsk, RateNews, Rates, Turn } from './rates/port.ts';
export { createRedisRates } from './rates/redis-rates.ts';
export { Recent } from './recent.ts';
export { assertRedis, connect } from './redis/connection.ts';
export { diagnoseRedis } from './redis/diagnose.ts';
export { outageOf, refusedBy, unreachable, withOutage } from './redis/outage.ts';
export type { Outages } from './redis/outage-monitor.ts';
export { type ProvidedRedis, type ProvideRedisOptions, provideRedis } from './redis/provide-redis.ts';
export { readRunArchive } from './retention/run-archive.ts';
export { sweepFilesNow } from './retention/sweep-files.ts';
export type { Keep } from './retention/tidy.ts';
export type { RunGraph } from './run-graph.ts';
export type { RunTermination } from './run-terminations.ts';
export { createRuns } from './runs.ts';
export { allSchedules, type PastTick, type Schedule, type Schedules, scheduleOf, seriesOf } from './schedules.ts';
export { createSecretMask, hiddenSecret, type SecretMask, secretsIn } from './secret-mask.ts';
export type { BatchLine, BatchRows } from './store/batch-rows.ts';
export { BodyMissing } from './store/body-missing.ts';
export type { Loaded } from './store/loaded.ts';
export { createMemoryStore, type MemoryStoreOptions } from './store/memory-store.ts';
export { NewerFormat } from './store/newer-format.ts';
export type { Notice, Notices } from './store/notices.ts';
export type {
  Commit,
  CommitResult,
  Remembered,
  RunPage,
  RunPlace,
  RunQuery,
  RunStatus,
  RunSummary,
  Store,
} from './store/port.ts';
export { createRedisStore, type RedisStoreOptions } from './store/redis-store.ts';
export type { Registry } from './store/registry.ts';
export type { EndedStatus } from './store/retention.ts';
export type { OrderHandling, Takeover } from './takeover/takeover.ts';
export type { Oversight } from './telemetry/gauges.ts';
export { createMetrics, type Metrics } from './telemetry/metrics.ts';
export { type MetricsAddress, serveMetrics } from './telemetry/serve-metrics.ts';
export { createTracing, type TracedRequest, type Tracing } from './telemetry/tracing.ts';
export type { Attempt, AttemptEnd, StepBegun, Witness } from './telemetry/witness.ts';
export { Witnesses } from './telemetry/witness.ts';
export type { Activation } from './telling.ts';
export { assertCron, nextTick, ticksBetween } from './ticks/cron.ts';
export type { Tick, Ticks } from './ticks/port.ts';
export type { Dispatched, OpenRun, Verdict } from './transact.ts';
export { Unworkable } from './unworkable.ts';
export { createWebhooks, type Webhook, type Webhooks } from './webhooks.ts';
export type {
  Expected,
  PublishedWorkflow,
  WorkflowText,
  WorkflowVersion,
} from './workflows.ts';
