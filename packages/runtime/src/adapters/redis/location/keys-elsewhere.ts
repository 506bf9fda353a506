import type { Redis } from 'ioredis';
import { askServer } from './master-locator.ts';
import type { FailoverLocation, ServerAddress } from './redis-location.ts';

/** Location of a cluster. */
export type ClusterLocation = Extract<FailoverLocation, { readonly type: 'cluster' }>;

/** Keys of a slot at masters that do not own it. */
export interface KeysElsewhere {
  /** Masters with such keys. */
  readonly found: readonly { readonly place: string; readonly count: number }[];
  /** Masters that did not answer. */
  readonly silent: readonly string[];
}

/** Sends a command to the owner of the slot. */
export type Send = (name: string, ...args: readonly (string | number)[]) => Promise<unknown>;

/**
 * Looks for keys of a slot at all masters but its owner. An interrupted move leaves part of them at another master, to which
 * no node redirects once the slot is stable again. Nodes that the cluster has declared dead are not asked.
 */
export async function findKeysElsewhere(location: ClusterLocation, slot: number, owner: Send): Promise<KeysElsewhere> {
  const others = mastersIn(String(await owner('CLUSTER', 'NODES')), location);
  const answers = await Promise.all(
    others.map(async ({ server, isDead }) => ({
      place: `${server.host}:${server.port}`,
      count: isDead
        ? undefined
        : await askServer(location, server, (client) => countAt(client, slot)).catch(() => undefined),
    })),
  );
  return {
    found: answers.flatMap(({ place, count = 0 }) => (count > 0 ? [{ place, count }] : [])),
    silent: answers.flatMap(({ place, count }) => (count === undefined ? [place] : [])),
  };
}

/** A node that was replaced by a failover is a replica, and others learn of that later than it does. */
async function countAt(client: Redis, slot: number): Promise<number> {
  const [count, nodes] = await Promise.all([
    client.call('CLUSTER', 'COUNTKEYSINSLOT', slot),
    client.call('CLUSTER', 'NODES'),
  ]);
  return linesOf(String(nodes)).some(({ flags }) => flags.has('myself') && flags.has('master')) ? Number(count) : 0;
}

interface OtherMaster {
  readonly server: ServerAddress;
  readonly isDead: boolean;
}

/** Returns the masters beside the one that was asked. */
function mastersIn(nodes: string, { settings }: ClusterLocation): readonly OtherMaster[] {
  return linesOf(nodes).flatMap(({ address, flags }) => {
    if (!flags.has('master') || flags.has('myself') || flags.has('handshake')) return [];
    // ip:port@busPort, and the hostname since Redis 7, for which certificates are.
    const [endpoint = '', hostname = ''] = address.split(',');
    const [server = ''] = endpoint.split('@');
    const colon = server.lastIndexOf(':');
    const host = settings.tls !== undefined && hostname !== '' ? hostname : server.slice(0, colon);
    const isDead = flags.has('fail') || flags.has('noaddr');
    return [{ server: { host, port: Number(server.slice(colon + 1)) }, isDead }];
  });
}

const linesOf = (nodes: string) =>
  nodes
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, address = '', flags = ''] = line.split(' ');
      return { address, flags: new Set(flags.split(',')) };
    });
