/** Replication of the Redis that stores runs. */
export interface Replication {
  readonly role: 'master' | 'replica';
  /** Number of connected replicas. */
  readonly replicas: number;
  /** Redis refuses writes when too few replicas are connected (`min-replicas-to-write`). */
  readonly needsReplicas: boolean;
  /** The server is a node of a cluster. */
  readonly inCluster: boolean;
}

/** Returns the replication that INFO describes. */
export const replicationIn = (info: ReadonlyMap<string, string>): Replication => ({
  role: info.get('role') === 'slave' ? 'replica' : 'master',
  replicas: Number(info.get('connected_slaves') ?? 0),
  // INFO counts the good replicas only where some are needed.
  needsReplicas: info.has('min_slaves_good_slaves'),
  inCluster: info.get('cluster_enabled') === '1',
});

/** Cure for a master that acknowledges writes which no replica has received. */
export const needReplicas = 'Set min-replicas-to-write to 1 and min-replicas-max-lag to 3, on replicas too.';

/** Returns the message about a master that acknowledges writes which no replica has received; undefined for any other. */
export function unconfirmedWrites({ role, replicas, needsReplicas }: Replication): string | undefined {
  if (role !== 'master' || replicas === 0 || needsReplicas) return undefined;
  return 'Redis has replicas and min-replicas-to-write 0: a master that stalls or is cut off acknowledges runs that a failover loses.';
}

/** Returns the warnings about a Redis with replicas. */
export function replicationWarnings(replication: Replication): string[] {
  const message = unconfirmedWrites(replication);
  return message === undefined ? [] : [`${message} ${needReplicas}`];
}

/** Returns how many bytes the replica that is furthest behind has not confirmed, by INFO of the master; undefined without replicas. */
export function replicationLagIn(info: string): number | undefined {
  const written = Number(/^master_repl_offset:(\d+)/m.exec(info)?.[1]);
  const confirmed = [...info.matchAll(/^slave\d+:.*\boffset=(\d+)/gm)].map(([, offset]) => Number(offset));
  return confirmed.length === 0 ? undefined : Math.max(0, written - Math.min(...confirmed));
}
