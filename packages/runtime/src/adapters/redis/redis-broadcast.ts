import type { Redis } from 'ioredis';
import type { Broadcast } from '../../ports/broadcast.ts';
import { createLocalBroadcast } from '../../ports/broadcast.ts';
import type { Shard } from './connection/shard.ts';

/**
 * Creates a broadcast to all processes that use the same Redis, by publish and subscribe. The subscribing connection is
 * opened with the first listener; each topic is subscribed once, however many listeners it has in this process.
 */
export function createRedisBroadcast({ connection, keys: { live: channel } }: Shard): Broadcast {
  const here = createLocalBroadcast();
  const subscriptions = new Map<string, { count: number; readonly ready: Promise<void> }>();
  let listener: Redis | undefined;

  function openListener(): Redis {
    if (listener !== undefined) return listener;
    const opened = connection.duplicate({ connectionName: 'millrace-live' });
    // The client reconnects by itself and subscribes again.
    opened.on('error', () => undefined);
    opened.on('message', (topic: string, message: string) => here.send(topic, message));
    listener = opened;
    return opened;
  }

  return {
    send(topic, message) {
      // During an outage of Redis there are no receivers; waiting commands would only accumulate.
      if (connection.status === 'ready') connection.publish(`${channel}:${topic}`, message).catch(() => undefined);
    },
    listen(name, onMessage) {
      const topic = `${channel}:${name}`;
      const subscription = subscriptions.get(topic) ?? { count: 0, ready: quietly(openListener().subscribe(topic)) };
      subscription.count += 1;
      subscriptions.set(topic, subscription);
      const { stop } = here.listen(topic, onMessage);
      return {
        ready: subscription.ready,
        stop() {
          stop();
          subscription.count -= 1;
          if (subscription.count > 0) return;
          subscriptions.delete(topic);
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
