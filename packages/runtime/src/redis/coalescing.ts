import { Redis } from 'ioredis';
import { PacketWriter } from './packet-writer.ts';

/**
 * A connection that sends all commands of one turn of the event loop in one packet. A commit and its wakes travel
 * together, and so do the requests of many activations that proceed at the same time: Redis and the kernel are woken
 * once for all of them. (Replies of Redis are not delayed, and no command waits for a later turn.)
 */
export class CoalescingRedis extends Redis {
  #writer: PacketWriter | undefined;

  override sendCommand(...args: Parameters<Redis['sendCommand']>): unknown {
    // Undefined before the first attempt to connect, whatever the type says.
    const stream: Redis['stream'] | undefined = this.stream;
    if (stream !== undefined && stream !== this.#writer?.stream) this.#writer = new PacketWriter(stream);
    return super.sendCommand(...args);
  }

  override disconnect(reconnect = false): void {
    this.#writer?.flush();
    super.disconnect(reconnect);
  }
}
