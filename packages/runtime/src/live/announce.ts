import type { Broadcast } from './broadcast.ts';
import { watchTopic } from './live-event.ts';

/** Interval at which a watcher announces itself, in milliseconds. */
const heartbeatMs = 10_000;

/** Listens to a topic, and announces that to publishers until it is stopped. */
export function listenAnnounced(
  broadcast: Broadcast,
  topic: string,
  hear: (words: string) => void,
): { readonly ready: Promise<void>; stop(): void } {
  const ears = [
    broadcast.listen(topic, hear),
    broadcast.listen(watchTopic, (words) => {
      if (words === 'who?') broadcast.send(watchTopic, `new ${topic}`);
    }),
  ];
  const still = setInterval(() => broadcast.send(watchTopic, `still ${topic}`), heartbeatMs).unref();
  const ready = Promise.all(ears.map((ear) => ear.ready)).then(() => broadcast.send(watchTopic, `new ${topic}`));
  return {
    ready,
    stop() {
      clearInterval(still);
      for (const ear of ears) ear.stop();
    },
  };
}
