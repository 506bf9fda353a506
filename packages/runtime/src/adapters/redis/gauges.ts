import { endedStatuses, omitUndefined } from '@millrace/core';
import type { Gauges } from '../../ports/admin.ts';
import { agendaLease } from '../../ports/lease.ts';
import { millisecondsOf } from '../../ports/store/store-clock.ts';
import { headroomOf } from './connection/headroom.ts';
import { replicationLagIn } from './connection/replication.ts';
import type { Shard } from './connection/shard.ts';

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
