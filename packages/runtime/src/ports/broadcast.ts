import { EventEmitter } from 'node:events';

/** Messages to every process of the installation that listens at that moment. They are not stored, and may be lost. */
export interface Broadcast {
  /** Sends a message. Never throws, and never waits: a message that cannot be sent now is dropped. */
  send(topic: string, message: string): void;
  listen(topic: string, onMessage: (message: string) => void): Subscription;
  close(): void;
}

/** Subscription to one topic. */
export interface Subscription {
  /** Resolves when every message that is sent from then on is received. Never rejects. */
  readonly ready: Promise<void>;
  stop(): void;
}

/** Creates a broadcast within this process. */
export function createLocalBroadcast(): Broadcast {
  const topics = new EventEmitter().setMaxListeners(0);
  return {
    send: (topic, message) => void topics.emit(topic, message),
    listen(topic, onMessage) {
      topics.on(topic, onMessage);
      return { ready: Promise.resolve(), stop: () => void topics.off(topic, onMessage) };
    },
    close: () => void topics.removeAllListeners(),
  };
}
