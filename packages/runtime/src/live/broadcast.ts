import { EventEmitter } from 'node:events';

/** Words to everybody of the installation who listens at that moment. They are kept nowhere, and may be lost. */
export interface Broadcast {
  /** Never throws, and never waits: what cannot be sent now is dropped. */
  send(topic: string, words: string): void;
  listen(topic: string, hear: (words: string) => void): Subscription;
  close(): void;
}

/** An ear on one topic. */
export interface Subscription {
  /** Everything that is sent from then on is heard. Never rejects. */
  readonly ready: Promise<void>;
  stop(): void;
}

/** Reaches whoever listens in this process. */
export function createLocalBroadcast(): Broadcast {
  const topics = new EventEmitter().setMaxListeners(0);
  return {
    send: (topic, words) => void topics.emit(topic, words),
    listen(topic, hear) {
      topics.on(topic, hear);
      return { ready: Promise.resolve(), stop: () => void topics.off(topic, hear) };
    },
    close: () => void topics.removeAllListeners(),
  };
}
