import type { Redis } from 'ioredis';
import type { Shard } from '../redis/shard.ts';
import type { Broadcast } from './broadcast.ts';
import { createLocalBroadcast } from './broadcast.ts';

/**
 * Creates a broadcast to all processes that use the same Redis, by publish and subscribe. The subscribing connection is
 * opened with the first listener; each topic is subscribed once, however many listeners it has in this process.
 */
export function createRedisBroadcast({ connection, keys: { live: channel } }: Shard): Broadcast {
  const here = createLocalBroadcast();
  const ears = new Map<string, { count: number; readonly ready: Promise<void> }>();
  let listener: Redis | undefined;

  function openListener(): Redis {
    if (listener !== undefined) return listener;
    const opened = connection.duplicate({ connectionName: 'millrace-live' });
    // The client reconnects by itself and subscribes again.
    opened.on('error', () => undefined);
    opened.on('message', (topic: string, words: string) => here.send(topic, words));
    listener = opened;
    return opened;
  }

  return {
    send(topic, words) {
      // During an outage of Redis there are no receivers; waiting commands would only accumulate.
      if (connection.status === 'ready') connection.publish(`${channel}:${topic}`, words).catch(() => undefined);
    },
    listen(name, hear) {
      const topic = `${channel}:${name}`;
      const ear = ears.get(topic) ?? { count: 0, ready: quietly(openListener().subscribe(topic)) };
      ear.count += 1;
      ears.set(topic, ear);
      const { stop } = here.listen(topic, hear);
      return {
        ready: ear.ready,
        stop() {
          stop();
          ear.count -= 1;
          if (ear.count > 0) return;
          ears.delete(topic);
          void quietly(openListener().unsubscribe(topic));
        },
      };
    },
    close() {
      here.close();
      listener?.disconnect();
    },
  };
}

/** Ignores the error of a connection that was closed meanwhile. */
const quietly = (asked: Promise<unknown>): Promise<void> =>
  asked.then(
    () => undefined,
    () => undefined,
  );
