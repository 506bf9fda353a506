import { Redis } from 'ioredis';
import { PacketWriter } from './packet-writer.ts';
import { runScript, scriptOf } from './script.ts';

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

  /** Defines a command that BullMQ calls with a list of keys and arguments; it is encoded as our own scripts are. */
  override defineCommand(...[name, definition]: Parameters<Redis['defineCommand']>): void {
    // Pipelines and transactions keep the client's command.
    super.defineCommand(name, definition);
    const { lua, numberOfKeys } = definition;
    if (numberOfKeys === undefined) return;
    const script = scriptOf(lua);
    const call = (values: readonly unknown[]) => {
      const texts = values.map(argumentOf);
      return runScript(this, script, { keys: texts.slice(0, numberOfKeys), args: texts.slice(numberOfKeys) });
    };
    Reflect.set(this, name, (...values: readonly unknown[]) => call(values.flat()));
  }

  override disconnect(reconnect = false): void {
    this.#writer?.flush();
    super.disconnect(reconnect);
  }
}

/** Returns a value as the client encodes it. */
function argumentOf(value: unknown): string | Buffer {
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value;
  return value === null || value === undefined ? '' : String(value);
}
