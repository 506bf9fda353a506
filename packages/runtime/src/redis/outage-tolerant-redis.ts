import type { Command, RedisOptions } from 'ioredis';
import { CoalescingRedis } from './coalescing.ts';
import { outageOf } from './outage.ts';
import type { OutageMonitor } from './outage-monitor.ts';

type Item = Parameters<CoalescingRedis['handleReconnection']>[1];

/** The parts of an ioredis connection that its types keep private. */
interface Internals {
  manuallyClosing: boolean;
  setStatus(status: string): void;
  flushQueue(error: Error): void;
}

const closedError = () => new Error('Connection is closed.');

/**
 * A connection whose commands wait through every outage of Redis. The client does so while it is not connected; this
 * class does the same for a server that answers but refuses (a replica after a failover, a full disk, …): such a
 * command was not executed, so it is held, and sent again, in order, when the monitor reports the end of the outage.
 * Commands of a transaction or pipeline are not held but fail, because they cannot be sent again one by one.
 */
export class OutageTolerantRedis extends CoalescingRedis {
  #monitor: OutageMonitor | undefined;
  #held: Item[] = [];

  /** Joins the outages of the process: one monitor serves a connection and all its duplicates. */
  join(monitor: OutageMonitor): void {
    this.#monitor = monitor;
    const leave = monitor.add(this);
    this.once('end', () => {
      leave();
      for (const { command } of this.#held.splice(0)) command.reject(closedError());
    });
  }

  /** Sends the held commands again. */
  release(): void {
    for (const { command } of this.#held.splice(0)) void this.sendCommand(command as Command); // as it was passed to sendCommand before
  }

  override handleReconnection(error: Error, item: Item): void {
    const outage = outageOf(error);
    // Replies to commands of the handshake come before the connection is ready; the client handles them.
    if (outage === undefined || this.#monitor === undefined || this.status !== 'ready') {
      return super.handleReconnection(error, item);
    }
    if (!isAlone(item) || this.#monitor.isProbe(item.command)) super.handleReconnection(error, item);
    else this.#held.push(item);
    this.#monitor.note(outage);
  }

  override disconnect(reconnect = false): void {
    const isBetweenAttempts = !reconnect && this.status === 'reconnecting';
    super.disconnect(reconnect);
    if (isBetweenAttempts) this.#end();
  }

  // The client would create a plain connection. A subclass cannot satisfy the types of its overloads.
  override duplicate = ((override: Partial<RedisOptions> = {}) => {
    const copy = new OutageTolerantRedis({ ...this.options, ...override } as RedisOptions & { replyMapping: 'legacy' });
    if (this.#monitor !== undefined) copy.join(this.#monitor);
    return copy;
  }) as unknown as CoalescingRedis['duplicate'];

  /** The client cancels its next attempt without an event, so a caller that waits for the end would wait forever. */
  #end(): void {
    const internals = this as unknown as Internals;
    internals.manuallyClosing = false;
    internals.setStatus('end');
    internals.flushQueue(closedError());
  }
}

/** Returns whether a command is not part of a transaction or pipeline. */
function isAlone({ command }: Item): boolean {
  const { pipelineIndex, inTransaction } = command as { pipelineIndex?: number; inTransaction?: boolean };
  return pipelineIndex === undefined && inTransaction !== true;
}
