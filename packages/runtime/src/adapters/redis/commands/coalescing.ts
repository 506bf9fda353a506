import { Redis } from 'ioredis';
import { PacketWriter } from './packet-writer.ts';
import { scriptOf, sendScript } from './script.ts';

/**
 * A connection that sends all commands of one turn of the event loop in one packet, or in several if it is long. A commit and its wakes travel
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

  /** Defines a command that BullMQ calls with a list of keys and arguments; it is encoded as our own scripts are. */
  override defineCommand(...[name, definition]: Parameters<Redis['defineCommand']>): void {
    super.defineCommand(name, definition);
    const { lua, numberOfKeys } = definition;
    if (numberOfKeys === undefined) return;
    const script = scriptOf(lua);
    const run: Call = (values) => sendScript(this, script, { keyCount: numberOfKeys, values });
    // Defined just now.
    const command = Reflect.get(this, name) as (...values: readonly unknown[]) => unknown;
    Reflect.set(this, name, aloneOr(this, run, command));
  }

  override disconnect(reconnect = false): void {
    this.#writer?.flush();
    super.disconnect(reconnect);
  }
}

type Call = (values: readonly unknown[]) => unknown;

/** Returns a method that is `run` on the connection, and the client's own command on pipelines, which copy the method. */
function aloneOr(connection: Redis, run: Call, command: (...values: readonly unknown[]) => unknown) {
  return function call(this: unknown, ...values: readonly unknown[]): unknown {
    return this === connection ? run(values) : command.apply(this, [...values]);
  };
}
