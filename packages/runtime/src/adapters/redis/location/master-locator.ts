import { Redis } from 'ioredis';
import { withTimeout } from '../../../concurrency/with-timeout.ts';
import type { FailoverLocation, ServerAddress } from './redis-location.ts';

/** Finds the server that stores the keys of a prefix: after a failover it is another one. */
export interface MasterLocator {
  /** Fails with LocationError when no server knows it. */
  locate(): Promise<ServerAddress>;
  /** Accepts the address from a redirection or an announcement, which is newer than what other servers know, for a while. */
  accept(address: ServerAddress, forMs?: number): void;
  /** Asks another server next time: the located one was not a master. */
  distrust(): void;
  /** Forgets an accepted address that cannot be connected to. */
  forget(address: ServerAddress): void;
}

/** No server returned the address of the master. */
export class LocationError extends Error {
  override readonly name = 'LocationError';
}

/** Time that one server has to answer, in milliseconds. */
const answerMs = 1000;
/** Time for which the address from a redirection is used, in milliseconds. */
const redirectionMs = 1000;

/** Creates the locator of the master of a sentinel's group, or of the node of a cluster that owns the slot of a key. */
export function createMasterLocator(location: FailoverLocation, key: string): MasterLocator {
  const ask = location.type === 'sentinel' ? askSentinel(location.master) : askNode(key);
  let servers: readonly ServerAddress[] = location.servers;
  let redirection: { readonly to: ServerAddress; readonly until: number } | undefined;
  let asking: Promise<ServerAddress> | undefined;
  const askAll = async (): Promise<ServerAddress> => {
    let problem: unknown;
    for (const server of servers) {
      try {
        const { master, others } = await askServer(location, server, (client) => ask(client, server));
        servers = unique([server, ...others, ...servers]);
        return master;
      } catch (error) {
        problem = error;
        servers = [...servers.filter((one) => one !== server), server];
      }
    }
    throw problem;
  };
  return {
    async locate() {
      if (redirection !== undefined && performance.now() < redirection.until) return redirection.to;
      asking ??= askAll().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    accept(to, forMs = redirectionMs) {
      redirection = { to, until: performance.now() + forMs };
    },
    forget({ host, port }) {
      if (redirection?.to.host === host && redirection.to.port === port) redirection = undefined;
    },
    distrust() {
      redirection = undefined;
      servers = [...servers.slice(1), ...servers.slice(0, 1)];
    },
  };
}

interface MasterLocation {
  readonly master: ServerAddress;
  /** Further servers to ask. */
  readonly others: readonly ServerAddress[];
}

type Ask = (client: Redis, server: ServerAddress) => Promise<MasterLocation>;

/** Connects to a server that knows the location of keys, asks it, and disconnects. Fails with LocationError. */
export async function askServer<T>(
  { askingSettings }: FailoverLocation,
  server: ServerAddress,
  ask: (client: Redis) => Promise<T>,
): Promise<T> {
  const client = new Redis({
    ...askingSettings,
    ...server,
    connectionName: 'millrace-locate',
    replyMapping: 'legacy',
    lazyConnect: true,
    retryStrategy: null,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    connectTimeout: answerMs,
  });
  let problem: Error | undefined;
  client.on('error', (error) => {
    problem = error;
  });
  const place = `${server.host}:${server.port}`;
  const asking = async () => {
    await client.connect();
    return ask(client);
  };
  try {
    return await withTimeout(asking(), answerMs, () => new LocationError(`${place} did not answer`));
  } catch (error) {
    if (error instanceof LocationError) throw error;
    const cause = problem ?? error;
    throw new LocationError(`${place}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  } finally {
    client.disconnect();
  }
}

const askSentinel =
  (name: string): Ask =>
  async (client, { host, port }) => {
    // The reply is an address, or null for an unknown name.
    const found = (await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name)) as readonly [string, string] | null;
    if (found === null) throw new LocationError(`The sentinel at ${host}:${port} knows no master "${name}"`);
    return { master: { host: found[0], port: Number(found[1]) }, others: [] };
  };

type Node = readonly [host: string | null, port: number, ...rest: unknown[]];

const askNode =
  (key: string): Ask =>
  async (client, server) => {
    const [slot, ranges] = await Promise.all([client.call('CLUSTER', 'KEYSLOT', key), client.call('CLUSTER', 'SLOTS')]);
    // Each range has its first and last slot, and the nodes that serve it, the master first.
    const served = ranges as readonly (readonly [first: number, last: number, master: Node, ...replicas: Node[]])[];
    const owner = served.find(([first, last]) => first <= Number(slot) && Number(slot) <= last);
    if (owner === undefined) throw new LocationError(`No node of the cluster owns slot ${Number(slot)}`);
    // A node that does not know its own name leaves it out.
    const addressOf = ([host, port]: Node): ServerAddress => ({ host: host || server.host, port: Number(port) });
    const others = served.flatMap(([, , ...nodes]) => nodes.map(addressOf));
    return { master: addressOf(owner[2]), others };
  };

/** Returns the first of equal addresses. */
const unique = (servers: readonly ServerAddress[]): readonly ServerAddress[] =>
  [...new Map([...servers].reverse().map((server) => [`${server.host}:${server.port}`, server])).values()].reverse();
