import type { Redis } from 'ioredis';

type Stream = Redis['stream'];

/** Size of a packet's buffer at first, in bytes. */
const initialSize = 16 * 1024;

/**
 * Size from which a packet is written before the turn ends, in bytes. Redis begins while the rest is made, and replies only
 * when it has processed all that it has read at once.
 */
const packetSize = 16 * 1024;

/** A larger buffer is not kept for the next packet. */
const keptSize = 1024 * 1024;

/**
 * Collects what a client writes to its socket during a turn of the event loop, and writes it as one buffer, or as several
 * if it is long.
 */
export class PacketWriter {
  readonly stream: Stream;
  readonly #write: Stream['write'];
  #buffer = Buffer.allocUnsafeSlow(initialSize);
  #length = 0;
  #scheduled = false;

  /** Takes over the writes to the socket. */
  constructor(stream: Stream) {
    this.stream = stream;
    this.#write = stream.write.bind(stream);
    stream.write = (chunk: string | Uint8Array) => {
      this.#add(chunk);
      return true;
    };
  }

  /** Writes what has been collected. */
  flush(): void {
    if (this.#length === 0) return;
    const packet = this.#buffer.subarray(0, this.#length);
    this.#length = 0;
    // A socket that has ended reports an error to whoever writes to it; its commands are sent again or rejected.
    if (this.stream.writable) this.#write(packet);
    // The kernel has a copy of what is written at once. Otherwise the socket needs the buffer.
    const isFree = this.stream.writableLength === 0 && this.#buffer.length <= keptSize;
    if (!isFree) this.#buffer = Buffer.allocUnsafeSlow(initialSize);
  }

  #add(chunk: string | Uint8Array): void {
    if (!this.#scheduled) {
      this.#scheduled = true;
      // What follows from the first commands at once, such as the end of a job after its commit, goes along with them.
      process.nextTick(() => queueMicrotask(() => process.nextTick(() => this.#endTurn())));
    }
    if (chunk.length >= packetSize && typeof chunk !== 'string') {
      this.flush();
      if (this.stream.writable) this.#write(chunk);
      return;
    }
    this.#append(chunk);
    if (this.#length >= packetSize) this.flush();
  }

  #endTurn(): void {
    this.#scheduled = false;
    this.flush();
  }

  #append(chunk: string | Uint8Array): void {
    if (typeof chunk === 'string') {
      // A UTF-16 unit takes at most three bytes of UTF-8.
      this.#reserve(chunk.length * 3);
      this.#length += this.#buffer.write(chunk, this.#length);
      return;
    }
    this.#reserve(chunk.length);
    this.#buffer.set(chunk, this.#length);
    this.#length += chunk.length;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
