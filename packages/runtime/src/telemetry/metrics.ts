import { LruMap } from '../blobs/read-through-cache.ts';
import { withTimeout } from '../concurrency/with-timeout.ts';
import type { QueueStatus } from '../queue/queue-admin.ts';
import { refusedBy, unreachable } from '../redis/outages/outage.ts';
import type { Gauges, InstallationAdmin } from './gauges.ts';
import type { Attempt, Instrumentation, StepBegun } from './instrumentation.ts';

/** A request that was answered over HTTP. */
export interface AnsweredRequest {
  readonly method: string;
  /** Pattern of its route, never its path. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** The metrics of a process. */
export interface Metrics {
  readonly instrumentation: Instrumentation;
  answered(request: AnsweredRequest): void;
  readonly contentType: string;
  /** Returns all metrics in the format of Prometheus. */
  text(): Promise<string>;
}

/** Buckets from the time of a cached answer to the minutes of a model. */
const buckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

/** The only shard of an installation. */
const shard = '0';

/** The part of an installation that metrics read. */
type MeasuredInstallation = Pick<InstallationAdmin, 'queueAdmin' | 'gauges'>;

/**
 * Creates the metrics of this process; loads prom-client. With an installation, they include the state of the
 * installation, which is read from Redis when the metrics are read. `outageSeconds` returns the times of outages of Redis
 * by their codes.
 */
export async function createMetrics(
  admin?: MeasuredInstallation,
  outageSeconds: () => ReadonlyMap<string, number> = () => new Map(),
): Promise<Metrics> {
  const prom = await import('prom-client');
  const registry = new prom.Registry();
  prom.collectDefaultMetrics({ register: registry });
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new prom.Counter({ name: `millrace_${name}`, help, labelNames, registers: [registry] });
  const histogram = (name: string, help: string, labelNames: string[]) =>
    new prom.Histogram({ name: `millrace_${name}_seconds`, help, labelNames, buckets, registers: [registry] });
  const requests = histogram('http_request', 'Requests to the HTTP API, until they were answered.', [
    'method',
    'route',
    'status',
  ]);
  countOutages(prom, registry, outageSeconds);
  const refresh = admin === undefined ? async () => undefined : installationGauges(prom, registry, admin);
  return {
    instrumentation: {
      committed: commitsCounted(counter),
      attempt: attemptsCounted(counter, histogram),
      step: stepsCounted(counter, histogram),
      blob: blobsTimed(histogram),
    },
    answered: ({ method, route, status, seconds }) => requests.observe({ method, route, status }, seconds),
    contentType: registry.contentType,
    async text() {
      await refresh();
      return registry.metrics();
    },
  };
}

type Prom = typeof import('prom-client');
type Registry = InstanceType<Prom['Registry']>;
type MakeCounter = (name: string, help: string, labels?: string[]) => InstanceType<Prom['Counter']>;
type MakeHistogram = (name: string, help: string, labels: string[]) => InstanceType<Prom['Histogram']>;

/** Counts the times of outages, which are read when the metrics are read. */
function countOutages({ Counter }: Prom, registry: Registry, outageSeconds: () => ReadonlyMap<string, number>): void {
  const outages = new Counter({
    name: 'millrace_redis_outage_seconds_total',
    help: 'Time for which Redis did not answer this process, or refused its commands.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      outages.reset();
      for (const [kind, seconds] of outageSeconds()) outages.inc({ kind }, seconds);
    },
  });
}

function commitsCounted(counter: MakeCounter): Required<Instrumentation>['committed'] {
  const commits = counter('shard_commits_total', 'Commits of this process.', ['shard']);
  const started = counter('runs_started_total', 'Runs that this process has started.');
  const ended = counter('runs_ended_total', 'Runs whose end this process has committed.', ['status']);
  return ({ events }) => {
    commits.inc({ shard });
    for (const event of events) {
      if (event.type === 'run.started') started.inc();
      else if (event.type === 'run.finished') ended.inc({ status: event.status });
    }
  };
}

function attemptsCounted(counter: MakeCounter, histogram: MakeHistogram): Required<Instrumentation>['attempt'] {
  const ended = counter('activation_attempts_total', 'Attempts at activations, by the type of their node.', [
    'type',
    'outcome',
  ]);
  const took = histogram('activation_attempt', 'Attempts at activations, until they were settled.', ['type']);
  return ({ type = 'votes' }: Attempt) => {
    const since = performance.now();
    return ({ outcome }) => {
      ended.inc({ type, outcome });
      took.observe({ type }, secondsSince(since));
    };
  };
}

function stepsCounted(counter: MakeCounter, histogram: MakeHistogram): Required<Instrumentation>['step'] {
  const took = histogram('step', 'Model calls, tool calls and other steps that were made, not remembered.', ['kind']);
  const calls = counter('model_calls_total', 'Calls of models.', ['provider', 'model', 'outcome']);
  const tokens = counter('model_tokens_total', 'Tokens of prompts and answers.', ['provider', 'model', 'kind']);
  const usd = counter('model_usd_total', 'Cost of model calls in US dollars, where prices are known.', [
    'provider',
    'model',
  ]);
  const kinds = bounded(50);
  const models = bounded(200);
  return ({ name, model }: StepBegun) => {
    const since = performance.now();
    return ({ outcome, usage }) => {
      took.observe({ kind: kinds(name.split(' ', 1)[0] ?? '') }, secondsSince(since));
      if (model === undefined) return;
      const labels = { provider: model.provider, model: models(model.name) };
      calls.inc({ ...labels, outcome });
      if (usage === undefined) return;
      tokens.inc({ ...labels, kind: 'prompt' }, usage.promptTokens);
      tokens.inc({ ...labels, kind: 'completion' }, usage.completionTokens);
      usd.inc(labels, (usage.microUsd ?? 0) / 1_000_000);
    };
  };
}

function blobsTimed(histogram: MakeHistogram): Required<Instrumentation>['blob'] {
  const took = histogram('blob', 'Operations on contents in the store of blobs, whether they succeeded or not.', [
    'op',
  ]);
  return (op) => {
    const since = performance.now();
    return () => took.observe({ op }, secondsSince(since));
  };
}

const secondsSince = (since: number): number => (performance.now() - since) / 1000;

/** Returns a function that limits the number of label values that authors choose, as each makes a series. */
function bounded(limit: number): (word: string) => string {
  const known = new Set<string>();
  return (word) => {
    if (known.size < limit) known.add(word);
    return known.has(word) ? word : 'other';
  };
}

/** Time for which the numbers from Redis are valid, and the time limit of reading them. */
const freshMs = 1000;
const readTimeoutMs = 2000;

/**
 * Creates the gauges of the installation, and the function that refreshes them: a fixed number of requests, at most
 * once a second.
 */
function installationGauges(
  { Gauge }: Prom,
  registry: Registry,
  { queueAdmin: admin, gauges }: MeasuredInstallation,
): () => Promise<void> {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `millrace_${name}`, help, labelNames, registers: [registry] });
  const jobs = gauge('queue_jobs', 'Jobs in a queue.', ['queue', 'state']);
  const workers = gauge('queue_workers', 'Workers that are connected to a queue.', ['queue']);
  const paused = gauge('queue_paused', '1 while a queue is paused.', ['queue']);
  const agenda = gauge('agenda_entries', 'Activations and alarms that are looked after.');
  const lag = gauge('shard_agenda_lag_seconds', 'Age of the most overdue entry.', ['shard']);
  const oldest = gauge('queue_oldest_seconds', 'Time for which the oldest waiting job waits.', ['queue', 'shard']);
  const behind = gauge('redis_replication_lag_bytes', 'Bytes that the last of the replicas has not confirmed.');
  const lease = gauge('shard_lease', '1 while a process looks after the agenda.', ['shard']);
  const kept = gauge('ended_runs', 'Ended runs that are kept.', ['status']);
  const used = gauge('redis_memory_bytes', 'Memory that Redis uses.');
  const limit = gauge('redis_memory_limit_bytes', 'Memory that Redis may use; 0: all there is.');
  const up = gauge('redis_up', '1 when Redis has told how the installation stands; what it told before is gone.');
  const all = [jobs, oldest, behind, workers, paused, agenda, lag, lease, kept, used, limit];
  const set = ([now, statuses]: readonly [Gauges, readonly QueueStatus[]]) => {
    for (const one of all) one.reset();
    agenda.set(now.agenda);
    lag.set({ shard }, now.lagMs / 1000);
    lease.set({ shard }, now.hasLeaseHolder ? 1 : 0);
    used.set(now.memory.usedBytes);
    limit.set(now.memory.limitBytes);
    if (now.replicationLagBytes === undefined) behind.remove();
    else behind.set(now.replicationLagBytes);
    for (const [status, count] of Object.entries(now.ended)) kept.set({ status }, count);
    for (const { name: queue, ...stand } of statuses) {
      for (const state of ['waiting', 'active', 'delayed'] as const) jobs.set({ queue, state }, stand[state]);
      workers.set({ queue }, stand.workers);
      const oldestAt = stand.oldestAt ?? now.at;
      oldest.set({ queue, shard }, Math.max(0, (now.at - oldestAt) / 1000));
      paused.set({ queue }, stand.paused ? 1 : 0);
    }
    up.set(1);
  };
  const recent = new LruMap<void>({ forMs: freshMs, limit: 1 });
  return () =>
    recent.of('', async () => {
      const read = await withTimeout(Promise.all([gauges(), admin.statuses()]), readTimeoutMs, () =>
        refusedBy(unreachable),
      ).catch(
        // The gauge `redis_up` reports this.
        () => undefined,
      );
      if (read !== undefined) return set(read);
      for (const one of all) one.reset();
      // A gauge without labels is 0 after that; one that is not known is absent.
      for (const one of [agenda, behind, used, limit]) one.remove();
      up.set(0);
    });
}
