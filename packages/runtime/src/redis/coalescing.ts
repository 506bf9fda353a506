import { Redis } from 'ioredis';

/**
 * A connection that sends all commands of one turn of the event loop in one packet. A commit and its wakes travel
 * together, and so do the requests of many activations that proceed at the same time: Redis and the kernel are woken
 * once for all of them. (Replies of Redis are not delayed, and no command waits for a later turn.)
 */
export class CoalescingRedis extends Redis {
  #corked = false;

  override sendCommand(...args: Parameters<Redis['sendCommand']>): unknown {
    // Undefined before the first attempt to connect, whatever the type says.
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
