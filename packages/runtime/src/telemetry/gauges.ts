import { omitUndefined } from '@millrace/core';
import type { AnyQueue, QueueAdmin } from '../adapters/bullmq/queue/queue-admin.ts';
import { headroomOf } from '../adapters/redis/headroom.ts';
import { agendaLease } from '../adapters/redis/location/keys.ts';
import { replicationLagIn } from '../adapters/redis/replication.ts';
import type { Shard } from '../adapters/redis/shard.ts';
import type { EndedStatus } from '../ports/store/retention.ts';
import { endedStatuses } from '../ports/store/retention.ts';
import { millisecondsOf } from '../ports/store/store-clock.ts';
import type { Finding } from './finding.ts';
import type { WorkerReport } from './worker-reports.ts';

/** State of the installation as a whole, of all tenants. */
export interface InstallationAdmin {
  readonly queueAdmin: QueueAdmin;
  gauges(): Promise<Gauges>;
  /** Checks Redis, as `millrace doctor` does. */
  diagnoseRedis(): Promise<readonly Finding[]>;
  /** Returns the recent reports of workers, by their names. */
  workerReports(names: readonly string[]): Promise<ReadonlyMap<string, WorkerReport>>;
  /** Returns all present queues, those of background jobs included. */
  queues(): Promise<readonly AnyQueue[]>;
}

/** Gauges of an installation, from numbers that Redis stores anyway: no run is read. */
export interface Gauges {
  /** Time of Redis at which they were read, in milliseconds since 1970. */
  readonly at: number;
  /** Activations and alarms on the agenda. */
  readonly agenda: number;
  /** Age of the most overdue of them; 0 when none is. */
  readonly lagMs: number;
  /** A process holds the lease of the agenda. */
  readonly hasLeaseHolder: boolean;
  /** Ended runs that are kept. */
  readonly ended: Readonly<Record<EndedStatus, number>>;
  /** Bytes that the replica which is furthest behind has not confirmed; absent without replicas. */
  readonly replicationLagBytes?: number;
  /** A limit of 0 is none. */
  readonly memory: { readonly usedBytes: number; readonly limitBytes: number };
}

/** Reads the gauges in one round trip. */
export async function readGauges({ connection, keys }: Shard): Promise<Gauges> {
  const [memory, replication, [seconds, microseconds], agenda, soonest, holders, ...ended] = await Promise.all([
    headroomOf(connection),
    connection.info('replication'),
    connection.time(),
    connection.zcard(keys.agenda),
    connection.zrange(keys.agenda, '0', '0', 'WITHSCORES'),
    connection.exists(keys.lease(agendaLease)),
    ...endedStatuses.map((status) => connection.zcard(keys.ended(status))),
  ]);
  const now = millisecondsOf(String(seconds), String(microseconds));
  const dueAt = soonest[1] === undefined ? now : Number(soonest[1]);
  const { usedBytes, limitBytes } = memory;
  return {
    at: now,
    agenda,
    lagMs: Math.max(0, now - dueAt),
    hasLeaseHolder: holders > 0,
    ...omitUndefined({ replicationLagBytes: replicationLagIn(replication) }),
    ended: Object.fromEntries(endedStatuses.map((status, at) => [status, ended[at] ?? 0])) as Gauges['ended'], // of each status
    memory: { usedBytes, limitBytes },
  };
}
