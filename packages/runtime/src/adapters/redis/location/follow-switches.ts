import { Redis } from 'ioredis';
import type { FailoverLocation, ServerAddress } from './redis-location.ts';

/** Location of a Redis behind sentinels. */
export type SentinelLocation = Extract<FailoverLocation, { readonly type: 'sentinel' }>;

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
export function followSwitches(location: SentinelLocation, onSwitch: (to: ServerAddress) => void): { close(): void } {
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
  const [words, at] = [text.split(' '), channels.get(channel)];
  if (at === undefined) return undefined;
  const [host = '', port] = [words[at.host], Number(words[at.port])];
  return words[at.master] === master && host !== '' && Number.isInteger(port) ? { host, port } : undefined;
}
