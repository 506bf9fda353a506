import { LruMap } from '../blobs/read-through-cache.ts';
import { withTimeout } from '../concurrency/with-timeout.ts';
import type { Gauges, InstallationAdmin, QueueStatus } from '../ports/admin.ts';
import type { Attempt, Instrumentation, StepBegun } from './instrumentation.ts';
import type { MetricDefinition } from './metric-definitions.ts';
import { bucketSeconds, installationMetrics, processMetrics } from './metric-definitions.ts';

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
  const counter: MakeCounter = (metric) => new prom.Counter(configurationOf(metric, registry));
  const histogram: MakeHistogram = (metric) =>
    new prom.Histogram({ ...configurationOf(metric, registry), buckets: [...bucketSeconds] });
  const requests = histogram(processMetrics.httpRequestSeconds);
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
type MakeCounter = (metric: MetricDefinition) => InstanceType<Prom['Counter']>;
type MakeHistogram = (metric: MetricDefinition) => InstanceType<Prom['Histogram']>;

/** Returns the configuration with which prom-client makes a metric. */
const configurationOf = ({ name, help, labels }: MetricDefinition, registry: Registry) => ({
  name,
  help,
  labelNames: Object.keys(labels),
  registers: [registry],
});

/** Counts the times of outages, which are read when the metrics are read. */
function countOutages({ Counter }: Prom, registry: Registry, outageSeconds: () => ReadonlyMap<string, number>): void {
  const outages = new Counter({
    ...configurationOf(processMetrics.redisOutageSeconds, registry),
    collect() {
      outages.reset();
      for (const [kind, seconds] of outageSeconds()) outages.inc({ kind }, seconds);
    },
  });
}

function commitsCounted(counter: MakeCounter): Required<Instrumentation>['committed'] {
  const commits = counter(processMetrics.commits);
  const started = counter(processMetrics.runsStarted);
  const ended = counter(processMetrics.runsEnded);
  return ({ events }) => {
    commits.inc({ shard });
    for (const event of events) {
      if (event.type === 'run.started') started.inc();
      else if (event.type === 'run.finished') ended.inc({ status: event.status });
    }
  };
}

function attemptsCounted(counter: MakeCounter, histogram: MakeHistogram): Required<Instrumentation>['attempt'] {
  const ended = counter(processMetrics.attempts);
  const took = histogram(processMetrics.attemptSeconds);
  return ({ type = 'votes' }: Attempt) => {
    const since = performance.now();
    return ({ outcome }) => {
      ended.inc({ type, outcome });
      took.observe({ type }, secondsSince(since));
    };
  };
}

function stepsCounted(counter: MakeCounter, histogram: MakeHistogram): Required<Instrumentation>['step'] {
  const took = histogram(processMetrics.stepSeconds);
  const calls = counter(processMetrics.modelCalls);
  const tokens = counter(processMetrics.modelTokens);
  const usd = counter(processMetrics.modelUsd);
  const above = counter(processMetrics.modelsAboveBound);
  const kinds = bounded(50);
  const models = bounded(200);
  return ({ name, model }: StepBegun) => {
    const since = performance.now();
    return ({ outcome, usage, isAboveBound = false }) => {
      took.observe({ kind: kinds(name.split(' ', 1)[0] ?? '') }, secondsSince(since));
      if (model === undefined) return;
      const labels = { provider: model.provider, model: models(model.name) };
      calls.inc({ ...labels, outcome });
      if (usage === undefined) return;
      tokens.inc({ ...labels, kind: 'prompt' }, usage.promptTokens);
      tokens.inc({ ...labels, kind: 'completion' }, usage.completionTokens);
      usd.inc(labels, (usage.microUsd ?? 0) / 1_000_000);
      if (isAboveBound) above.inc(labels);
    };
  };
}

function blobsTimed(histogram: MakeHistogram): Required<Instrumentation>['blob'] {
  const took = histogram(processMetrics.blobSeconds);
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
  const gauge = (metric: MetricDefinition) => new Gauge(configurationOf(metric, registry));
  const jobs = gauge(installationMetrics.queueJobs);
  const workers = gauge(installationMetrics.queueWorkers);
  const paused = gauge(installationMetrics.queuePaused);
  const agenda = gauge(installationMetrics.agendaEntries);
  const lag = gauge(installationMetrics.agendaLagSeconds);
  const oldest = gauge(installationMetrics.queueOldestSeconds);
  const behind = gauge(installationMetrics.replicationLagBytes);
  const lease = gauge(installationMetrics.lease);
  const kept = gauge(installationMetrics.endedRuns);
  const used = gauge(installationMetrics.redisMemoryBytes);
  const limit = gauge(installationMetrics.redisMemoryLimitBytes);
  const up = gauge(installationMetrics.redisUp);
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
    for (const { name: queue, ...status } of statuses) {
      for (const state of ['waiting', 'active', 'delayed'] as const) jobs.set({ queue, state }, status[state]);
      workers.set({ queue }, status.workers);
      const oldestAt = status.oldestAt ?? now.at;
      oldest.set({ queue, shard }, Math.max(0, (now.at - oldestAt) / 1000));
      paused.set({ queue }, status.paused ? 1 : 0);
    }
    up.set(1);
  };
  const recent = new LruMap<void>({ forMs: freshMs, limit: 1 });
  return () =>
    recent.of('', async () => {
      const tooLate = () => new Error('The gauges were not read in time.');
      const read = await withTimeout(Promise.all([gauges(), admin.statuses()]), readTimeoutMs, tooLate).catch(
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
