import { RequestError } from '@millrace/core';
import type { RedisOptions } from 'ioredis';
import { Redis } from 'ioredis';
import { createKeys } from '../location/keys.ts';
import { createKeysCheck } from '../location/keys-check.ts';
import { connectorTo } from '../location/located-connector.ts';
import { createMasterLocator } from '../location/master-locator.ts';
import type { FailoverLocation, ServerAddress } from '../location/redis-location.ts';
import { isFailoverUrl, readFailoverUrl } from '../location/redis-location.ts';
import { OutageMonitor } from '../outages/outage-monitor.ts';
import { OutageTolerantRedis } from './outage-tolerant-redis.ts';

/**
 * Opens a connection that survives outages: commands wait while Redis is unreachable or refuses them, however long.
 * Accepts `redis://`, `rediss://`, `unix:///path?db=1`, `redis+unix://user:password@localhost/path`, the path of a
 * socket, `redis+sentinel://` and `redis+cluster://`. In a cluster it leads to the node that stores the keys with the
 * prefix. The role names the connection in CLIENT LIST.
 */
export const connect = (url: string, role: string, prefix?: string): Redis =>
  connectWatched(url, role, prefix).connection;

/** The connection, with the monitor of its outages and those of its duplicates. */
export function connectWatched(
  url: string,
  role: string,
  prefix?: string,
): { readonly connection: Redis; readonly outages: OutageMonitor } {
  const options: Options = {
    replyMapping: 'legacy',
    connectionName: `millrace-${role}`,
    maxRetriesPerRequest: null,
    // Firewalls forget connections that are silent, and a machine that vanishes does not close them.
    keepAlive: 10_000,
    // A frozen server never closes its side.
    disconnectTimeout: 250,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 10), 2000),
  };
  const keys = createKeys(prefix);
  const { probe: probeKey } = keys;
  const location = isFailoverUrl(url) ? readFailoverUrl(url) : undefined;
  const locator = location === undefined ? undefined : createMasterLocator(location, probeKey);
  const connection =
    location === undefined || locator === undefined
      ? open(url, options)
      : new OutageTolerantRedis({
          ...options,
          ...location.settings,
          connectTimeout: failoverConnectMs,
          retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 10), failoverRetryMs),
          Connector: connectorTo(locator),
        });
  const keysCheck = location?.type === 'cluster' ? createKeysCheck(location, keys) : undefined;
  const outages = new OutageMonitor(connection, { probeKey, locator, keysCheck });
  connection.join(outages);
  if (location?.type === 'sentinel') followWhenItLasts(connection, location, outages);
  return { connection, outages };
}

/** Follows the sentinels once a process lasts longer than most commands, in milliseconds. */
const followAfterMs = 2000;

function followWhenItLasts(connection: Redis, location: SentinelLocation, outages: OutageMonitor): void {
  let switches: { close(): void } | undefined;
  const timer = setTimeout(() => {
    switches = followSwitches(location, (to) => outages.follow(to));
    void outages.followLocated();
  }, followAfterMs).unref();
  connection.once('end', () => {
    clearTimeout(timer);
    switches?.close();
  });
}

/** Longest time between two attempts to find the master and connect to it, in milliseconds. */
const failoverRetryMs = 500;
/** Time to connect to a server that may have failed, in milliseconds. */
const failoverConnectMs = 2000;

/** BullMQ silently fails on the other mapping. */
type Options = RedisOptions & { readonly replyMapping: 'legacy' };

function open(url: string, options: Options): OutageTolerantRedis {
  if (url.startsWith('/')) return new OutageTolerantRedis({ ...options, path: url });
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new RequestError('REDIS_URL', `"${url}" is not the URL of a Redis, as in redis://localhost:6379.`);
  }
  switch (parsed.protocol) {
    case 'redis:':
    case 'rediss:':
      return new OutageTolerantRedis(url, options);
    case 'unix:':
    case 'redis+unix:':
      return new OutageTolerantRedis({ ...options, ...socketOptions(parsed) });
    default:
      throw new RequestError(
        'REDIS_URL',
        `A Redis URL starts with redis:, rediss:, unix:, redis+sentinel: or redis+cluster:, not with "${parsed.protocol}".`,
      );
  }
}

function socketOptions(url: URL): Pick<RedisOptions, 'path' | 'username' | 'password' | 'db'> {
  const options: ReturnType<typeof socketOptions> = { path: decodeURIComponent(url.pathname) };
  if (url.username !== '') options.username = decodeURIComponent(url.username);
  if (url.password !== '') options.password = decodeURIComponent(url.password);
  const db = url.searchParams.get('db');
  if (db !== null) options.db = Number(db);
  return options;
}

/** Location of a Redis behind sentinels. */
type SentinelLocation = Extract<FailoverLocation, { readonly type: 'sentinel' }>;

/** Longest delay between two attempts to connect to a sentinel, in milliseconds. */
const retryMs = 2000;

const promoted = { master: 5, host: 2, port: 3 } as const;
/**
 * Positions of the words in what sentinels publish: the one that leads a failover when it has told a replica to be the
 * master, and when the replica is; and each of them when it has learnt of the new master.
 */
const channels: ReadonlyMap<string, { readonly master: number; readonly host: number; readonly port: number }> =
  new Map([
    ['+failover-state-wait-promotion', promoted],
    ['+promoted-slave', promoted],
    ['+switch-master', { master: 0, host: 3, port: 4 }],
  ]);

/**
 * Calls back with each new master that the sentinels announce, until it is closed. A former master that is alive continues
 * acknowledging writes for some ten seconds after it was replaced, and all of them are lost.
 */
function followSwitches(location: SentinelLocation, onSwitch: (to: ServerAddress) => void): { close(): void } {
  const clients = location.servers.map((server) => {
    const client = new Redis({
      ...location.askingSettings,
      ...server,
      connectionName: 'millrace-switches',
      replyMapping: 'legacy',
      enableReadyCheck: false,
      maxRetriesPerRequest: null,
      retryStrategy: () => retryMs,
    });
    // The locator reports sentinels that do not answer.
    client.on('error', () => undefined);
    client.on('message', (channel, text) => {
      const to = readSwitch(channel, text, location.master);
      if (to !== undefined) onSwitch(to);
    });
    client.subscribe(...channels.keys()).catch(() => undefined);
    return client;
  });
  return {
    close() {
      for (const client of clients) client.disconnect();
    },
  };
}

/** Returns the new master that an announcement names; undefined if it is about another master. */
export function readSwitch(channel: string, text: string, master: string): ServerAddress | undefined {
  const [fields, at] = [text.split(' '), channels.get(channel)];
  if (at === undefined) return undefined;
  const [host = '', port] = [fields[at.host], Number(fields[at.port])];
  return fields[at.master] === master && host !== '' && Number.isInteger(port) ? { host, port } : undefined;
}
