import type { Broadcast } from '../ports/broadcast.ts';
import { watchTopic } from './live-event.ts';

/** Interval at which a watcher announces itself, in milliseconds. */
const heartbeatMs = 10_000;

/** Listens to a topic, and announces that to publishers until it is stopped. */
export function listenAnnounced(
  broadcast: Broadcast,
  topic: string,
  onMessage: (message: string) => void,
): { readonly ready: Promise<void>; stop(): void } {
  const subscriptions = [
    broadcast.listen(topic, onMessage),
    broadcast.listen(watchTopic, (message) => {
      if (message === 'who?') broadcast.send(watchTopic, `new ${topic}`);
    }),
  ];
  const still = setInterval(() => broadcast.send(watchTopic, `still ${topic}`), heartbeatMs).unref();
  const ready = Promise.all(subscriptions.map((subscription) => subscription.ready)).then(() =>
    broadcast.send(watchTopic, `new ${topic}`),
  );
  return {
    ready,
    stop() {
      clearInterval(still);
      for (const subscription of subscriptions) subscription.stop();
    },
  };
}
