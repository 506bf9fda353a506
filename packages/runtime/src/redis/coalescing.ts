import { Redis } from 'ioredis';

/**
 * A connection that sends what is asked of it within one turn of the event loop in one packet. A commit and its wakes
 * travel together, and so do the requests of many activations that go on at once: Redis and the kernel are woken once
 * for all of them. (Redis' replies are not held back, and nothing waits for a later turn.)
 */
export class CoalescingRedis extends Redis {
  #corked = false;

  override sendCommand(...args: Parameters<Redis['sendCommand']>): unknown {
    // Only there once it has begun to connect, whatever the type says.
    const stream: Redis['stream'] | undefined = this.stream;
    if (!this.#corked && stream?.writable === true) {
      this.#corked = true;
      stream.cork();
      process.nextTick(() => {
        this.#corked = false;
        stream.uncork();
      });
    }
    return super.sendCommand(...args);
  }
}
