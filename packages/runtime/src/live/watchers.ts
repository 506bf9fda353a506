import type { Broadcast } from './broadcast.ts';
import { watchTopic } from './live-event.ts';

/** Time without an announcement after which a watcher counts as gone. */
const watcherTimeoutMs = 30_000;

/** Topics that somebody in the installation watches, as watchers announce them. */
export interface Watchers {
  /** Starts to listen for watchers, of whom some may have come before. */
  attend(): void;
  has(topic: string): boolean;
}

/** Follows the announcements of watchers. `arrived` is called when somebody begins to watch a topic. */
export function createWatchers(broadcast: Broadcast, arrived: (topic: string) => void = () => undefined): Watchers {
  const watched = new Map<string, number>();
  let attending = false;

  function has(topic: string): boolean {
    const until = watched.get(topic);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    watched.delete(topic);
    return false;
  }

  function hear(message: string): void {
    const [word, topic = ''] = message.split(' ', 2);
    if (word !== 'new' && word !== 'still') return;
    const known = has(topic);
    watched.set(topic, performance.now() + watcherTimeoutMs);
    if (!known || word === 'new') arrived(topic);
  }

  return {
    attend() {
      if (attending) return;
      attending = true;
      void broadcast.listen(watchTopic, hear).ready.then(() => broadcast.send(watchTopic, 'who?'));
    },
    has,
  };
}
