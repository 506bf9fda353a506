import type { Broadcast } from '../ports/broadcast.ts';
import { watchTopic } from './live-event.ts';

/** Time without an announcement after which a watcher counts as disconnected. */
const watcherTimeoutMs = 30_000;

/** Topics that are watched in the installation, as watchers announce them. */
export interface Watchers {
  /** Starts to listen for watchers, some of which may have started before. */
  start(): void;
  has(topic: string): boolean;
}

/** Follows the announcements of watchers. `arrived` is called when a topic begins to be watched. */
export function createWatchers(broadcast: Broadcast, arrived: (topic: string) => void = () => undefined): Watchers {
  const watched = new Map<string, number>();
  let started = false;

  function has(topic: string): boolean {
    const until = watched.get(topic);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    watched.delete(topic);
    return false;
  }

  function onMessage(message: string): void {
    const [word, topic = ''] = message.split(' ', 2);
    if (word !== 'new' && word !== 'still') return;
    const known = has(topic);
    watched.set(topic, performance.now() + watcherTimeoutMs);
    if (!known || word === 'new') arrived(topic);
  }

  return {
    start() {
      if (started) return;
      started = true;
      void broadcast.listen(watchTopic, onMessage).ready.then(() => broadcast.send(watchTopic, 'who?'));
    },
    has,
  };
}
