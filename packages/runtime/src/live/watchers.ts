import type { Broadcast } from '../ports/broadcast.ts';
import { watchTopic } from './live-event.ts';

/** Time without an announcement after which a watcher counts as disconnected. */
const watcherTimeoutMs = 30_000;

/** Topics that are watched in the installation, as watchers announce them. */
export interface Watchers {
  /** Starts to listen for watchers, some of which may have started before. */
  start(): void;
  has(topic: string): boolean;
  /** Number of topics that are remembered. */
  readonly size: number;
}

/** Follows the announcements of watchers. `arrived` is called when a topic begins to be watched. */
export function createWatchers(broadcast: Broadcast, arrived: (topic: string) => void = () => undefined): Watchers {
  /** Time until which each topic counts as watched, the earliest first. */
  const watched = new Map<string, number>();
  let started = false;

  const has = (topic: string): boolean => (watched.get(topic) ?? 0) > performance.now();

  function forgetLeft(): void {
    for (const topic of watched.keys()) {
      if (has(topic)) return;
      watched.delete(topic);
    }
  }

  function onMessage(message: string): void {
    const [word, topic = ''] = message.split(' ', 2);
    if (word !== 'new' && word !== 'still') return;
    // Every run that anyone has followed was a topic.
    forgetLeft();
    const isNew = !watched.delete(topic) || word === 'new';
    watched.set(topic, performance.now() + watcherTimeoutMs);
    if (isNew) arrived(topic);
  }

  return {
    start() {
      if (started) return;
      started = true;
      void broadcast.listen(watchTopic, onMessage).ready.then(() => broadcast.send(watchTopic, 'who?'));
    },
    has,
    get size() {
      return watched.size;
    },
  };
}
