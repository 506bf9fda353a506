/** Definition of a metric. The reference of metrics is generated from it. */
export interface MetricDefinition {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Sentences, with the unit. */
  readonly help: string;
  /** Meanings of its labels, by their names. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Upper ends of the buckets of histograms, in seconds: from the time of a cached answer to the minutes of a model. */
export const bucketSeconds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800] as const;

/** Meanings of the labels that several metrics have, by their names. */
export const sharedLabels = {
  queue: 'Name of the queue.',
  shard: 'Shard of the installation; the only one is `0`.',
  type: 'Type of the node; `votes` for the count of votes of a graph.',
  provider: 'Provider of the model, such as `openai`.',
  model: 'Model. The first 200 of a process are named; later ones are counted as `other`.',
} as const;

const { queue, shard, type, provider, model } = sharedLabels;
const endedStatus = '`completed`, `failed`, `cancelled` or `terminated`';

/** Metrics of the work of one process, which each process counts for itself. */
export const processMetrics = {
  runsStarted: {
    name: 'millrace_runs_started_total',
    type: 'counter',
    help: 'Runs that this process has started.',
    labels: {},
  },
  runsEnded: {
    name: 'millrace_runs_ended_total',
    type: 'counter',
    help: 'Runs whose end this process has committed.',
    labels: { status: endedStatus },
  },
  attempts: {
    name: 'millrace_activation_attempts_total',
    type: 'counter',
    help: 'Attempts of activations that have ended in this process.',
    labels: {
      type,
      outcome:
        '`completed`, `failed`, `suspended`, `postponed`, `abandoned` by its run, or `refused` because its result came too late',
    },
  },
  attemptSeconds: {
    name: 'millrace_activation_attempt_seconds',
    type: 'histogram',
    help: 'Duration of an attempt of an activation in seconds, including the commit of its result.',
    labels: { type },
  },
  stepSeconds: {
    name: 'millrace_step_seconds',
    type: 'histogram',
    help: 'Duration of a step of a node in seconds: a model call, a tool call or another external call. Steps whose results are read from the journal are not counted.',
    labels: { kind: 'kind of the step, such as `chat`; later ones than the first 50 are counted as `other`' },
  },
  modelCalls: {
    name: 'millrace_model_calls_total',
    type: 'counter',
    help: 'Calls of models.',
    labels: { provider, model, outcome: '`completed` or `failed`' },
  },
  modelTokens: {
    name: 'millrace_model_tokens_total',
    type: 'counter',
    help: 'Tokens of model calls, as the providers have reported them.',
    labels: { provider, model, kind: '`prompt` or `completion`' },
  },
  modelUsd: {
    name: 'millrace_model_usd_total',
    type: 'counter',
    help: 'Cost of model calls in US dollars; 0 for models without a known price.',
    labels: { provider, model },
  },
  modelsAboveBound: {
    name: 'millrace_model_above_bound_total',
    type: 'counter',
    help: 'Model calls that took more from a budget than their worst case: their price, or a limit of the provider, is wrong.',
    labels: { provider, model },
  },
  blobSeconds: {
    name: 'millrace_blob_seconds',
    type: 'histogram',
    help: 'Duration of an operation on the store of large contents in seconds, failed ones included.',
    labels: { op: '`put`, `get`, `read` or `delete`' },
  },
  commits: {
    name: 'millrace_shard_commits_total',
    type: 'counter',
    help: 'Commits of this process.',
    labels: { shard },
  },
  redisOutageSeconds: {
    name: 'millrace_redis_outage_seconds_total',
    type: 'counter',
    help: 'Time in seconds for which Redis did not answer this process, or refused its commands.',
    labels: { kind: 'code of the outage, such as `REDIS_READONLY`' },
  },
  httpRequestSeconds: {
    name: 'millrace_http_request_seconds',
    type: 'histogram',
    help: 'Time in seconds until a request to the HTTP API was answered.',
    labels: {
      method: 'HTTP method',
      route: 'pattern of the route, such as `/v1/runs/:id`; never the path; `unknown` if there is none',
      status: 'HTTP status of the response',
    },
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

/** Metrics of the state of an installation, which are read from Redis. */
export const installationMetrics = {
  queueJobs: {
    name: 'millrace_queue_jobs',
    type: 'gauge',
    help: 'Jobs in a queue.',
    labels: { queue, state: '`waiting`, `active` or `delayed`' },
  },
  queueOldestSeconds: {
    name: 'millrace_queue_oldest_seconds',
    type: 'gauge',
    help: 'Time in seconds for which the oldest waiting job of a queue has waited; 0 if no job waits.',
    labels: { queue, shard },
  },
  queueWorkers: {
    name: 'millrace_queue_workers',
    type: 'gauge',
    help: 'Workers that are connected to a queue.',
    labels: { queue },
  },
  queuePaused: {
    name: 'millrace_queue_paused',
    type: 'gauge',
    help: '1 while a queue is paused, otherwise 0.',
    labels: { queue },
  },
  agendaEntries: {
    name: 'millrace_agenda_entries',
    type: 'gauge',
    help: 'Activations and alarms on the agenda.',
    labels: {},
  },
  agendaLagSeconds: {
    name: 'millrace_shard_agenda_lag_seconds',
    type: 'gauge',
    help: 'Delay in seconds of the most overdue entry of the agenda; 0 if none is overdue. Above 20 for a long time, no process handles the agenda.',
    labels: { shard },
  },
  lease: {
    name: 'millrace_shard_lease',
    type: 'gauge',
    help: '1 while a process holds the lease of the agenda, otherwise 0. If it is 0 for more than 15 seconds, no worker or server runs.',
    labels: { shard },
  },
  endedRuns: {
    name: 'millrace_ended_runs',
    type: 'gauge',
    help: 'Stored runs that have ended.',
    labels: { status: endedStatus },
  },
  redisMemoryBytes: {
    name: 'millrace_redis_memory_bytes',
    type: 'gauge',
    help: 'Memory that Redis uses, in bytes. New runs are refused when it reaches nine tenths of the limit.',
    labels: {},
  },
  redisMemoryLimitBytes: {
    name: 'millrace_redis_memory_limit_bytes',
    type: 'gauge',
    help: 'Memory that Redis may use, in bytes; 0 if it has no limit.',
    labels: {},
  },
  replicationLagBytes: {
    name: 'millrace_redis_replication_lag_bytes',
    type: 'gauge',
    help: 'Bytes that the replica which is furthest behind has not confirmed; absent without replicas.',
    labels: {},
  },
  redisUp: {
    name: 'millrace_redis_up',
    type: 'gauge',
    help: '1 if Redis has returned the other metrics of the installation; otherwise 0, and they are absent.',
    labels: {},
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;
