import { RequestError } from '@millrace/core';
import type { Command, RedisOptions } from 'ioredis';
import { CoalescingRedis } from '../commands/coalescing.ts';
import type { ServerAddress } from '../location/redis-location.ts';
import { outageOf } from '../outages/outage.ts';
import type { OutageMonitor } from '../outages/outage-monitor.ts';
import { repeatable } from '../outages/repeatable-transaction.ts';

type SendArguments = Parameters<CoalescingRedis['sendCommand']>;
type Item = Parameters<CoalescingRedis['handleReconnection']>[1];

/** The parts of an ioredis connection that its types keep private. */
interface Internals {
  manuallyClosing: boolean;
  setStatus(status: string): void;
  flushQueue(error: Error): void;
}

const closedError = () => new Error('Connection is closed.');

/** Commands that name no key, which processes need to begin and to end. */
const keyless: ReadonlySet<string> = new Set(
  'client config info ping psubscribe punsubscribe quit subscribe time unsubscribe'.split(' '),
);

/** States in which the next attempt to connect is already scheduled. */
const connecting: ReadonlySet<string> = new Set(['connecting', 'reconnecting', 'close']);

/**
 * A connection whose commands wait through every outage of Redis. The client does so while it is not connected; this
 * class does the same for a server that answers but refuses (a replica after a failover, a node of a cluster that has
 * lost the keys, a full disk, …): such a command was not executed, so it is held, and sent again, in order, when the
 * monitor reports the end of the outage. A refused transaction is sent again as a whole.
 */
export class OutageTolerantRedis extends CoalescingRedis {
  #monitor: OutageMonitor | undefined;
  #held: SendArguments[] = [];

  /** Joins the outages of the process: one monitor serves a connection and all its duplicates. */
  join(monitor: OutageMonitor): void {
    this.#monitor = monitor;
    const leave = monitor.add(this);
    this.once('end', () => {
      leave();
      for (const [command] of this.#held.splice(0)) command.reject(closedError());
    });
  }

  /** Sends the held commands again. */
  release(): void {
    for (const sent of this.#held.splice(0)) void this.sendCommand(...sent);
  }

  /** A command waits where the keys may be incomplete; those of one pipeline wait together, as they are sent in one turn. */
  override sendCommand(...sent: SendArguments): unknown {
    const [command, pipeline] = sent;
    const monitor = this.#monitor;
    const isSent =
      monitor === undefined ||
      this.status !== 'ready' ||
      monitor.admits(this.stream) ||
      monitor.isProbe(command) ||
      (pipeline === undefined && keyless.has(command.name));
    if (isSent) return super.sendCommand(...sent);
    this.#held.push(sent);
    return command.promise;
  }

  override handleReconnection(error: Error, item: Item): void {
    const monitor = this.#monitor;
    // Replies to commands of the handshake come before the connection is ready; the client handles them.
    if (monitor === undefined || this.status !== 'ready') return super.handleReconnection(error, item);
    const refusal = refusalOf(error, { followsKeys: monitor.locator !== undefined });
    if (refusal !== undefined) return super.handleReconnection(refusal, item);
    const outage = outageOf(error);
    if (outage === undefined) return super.handleReconnection(error, item);
    const to = redirectionIn(error);
    if (to !== undefined) monitor.locator?.accept(to);
    if (isInTransaction(item) || monitor.isProbe(item.command)) super.handleReconnection(error, item);
    else this.#hold(item);
    monitor.note(outage);
  }

  /** A handshake that meets an outage is repeated; the client would fail the waiting commands. */
  override recoverFromFatalError(...args: Parameters<CoalescingRedis['recoverFromFatalError']>): void {
    const [, error] = args;
    if (this.#monitor === undefined || outageOf(error) === undefined) return super.recoverFromFatalError(...args);
    this.silentEmit('error', error);
    this.disconnect(true);
  }

  override disconnect(reconnect = false): void {
    // The client would give up a connection that is being opened.
    if (reconnect && connecting.has(this.status)) return;
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

  /** Begins a transaction, which waits through outages as commands do. A subclass cannot satisfy the types of its overloads. */
  override multi = ((...args: Parameters<CoalescingRedis['multi']>) => {
    const begin = () => super.multi(...args);
    const monitor = this.#monitor;
    // The other forms of the call are not used with connections of this class.
    return monitor === undefined || args.length > 0 ? begin() : repeatable(begin, () => monitor.over());
  }) as CoalescingRedis['multi'];

  /** A held command of a pipeline is sent again by itself: none of those that were sent with it waits for it. */
  #hold(item: Item): void {
    Object.assign(item.command, { pipelineIndex: undefined });
    this.#held.push([item.command as Command]); // as it was passed to sendCommand before
  }

  /** The client cancels its next attempt without an event, so a caller that waits for the end would wait forever. */
  #end(): void {
    const internals = this as unknown as Internals;
    internals.manuallyClosing = false;
    internals.setStatus('end');
    internals.flushQueue(closedError());
  }
}

const isInTransaction = ({ command }: Item): boolean =>
  (command as { readonly inTransaction?: boolean }).inTransaction === true; // not among its types

const redirectionPattern = /^(?:MOVED|ASK) \d+ (?<host>[^ ]*):(?<port>\d+)/;

/** Returns the node to which an error of a cluster redirects, if it names one. */
function redirectionIn(error: Error): ServerAddress | undefined {
  const { host = '', port } =
    (error.message.startsWith('MOVED ') && redirectionPattern.exec(error.message)?.groups) || {};
  return host === '' || host === '?' ? undefined : { host, port: Number(port) };
}

/**
 * Returns the refusal for an error reply that lasts until the configuration is changed: commands do not wait for
 * that. A connection that follows its keys in a cluster is not refused by redirections.
 */
function refusalOf(error: Error, { followsKeys }: { readonly followsKeys: boolean }): RequestError | undefined {
  if (error.name !== 'ReplyError') return undefined;
  if (/(^|-)NOPERM /.test(error.message)) {
    const reason = error.message.replace(/^.*NOPERM /, '').replace(/\.$/, '');
    return new RequestError('REDIS_PERMISSION', `Redis does not permit a command to its user: ${reason}.`);
  }
  const isAtOtherNode = /^(MOVED|ASK|TRYAGAIN|CROSSSLOT) |cript attempted to access a non local key/;
  if (followsKeys || !isAtOtherNode.test(error.message)) return undefined;
  return new RequestError(
    'REDIS_MOVED',
    'The server at REDIS_URL is a node of a Redis cluster, and another node stores the keys. Set REDIS_URL to redis+cluster:// and the addresses of some nodes.',
  );
}
