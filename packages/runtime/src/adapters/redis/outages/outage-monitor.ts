import type { RunId } from '@millrace/core';
import type { Redis } from 'ioredis';
import { Command } from 'ioredis';
import { withTimeout } from '../../../concurrency/with-timeout.ts';
import type { KeysCheck } from '../location/keys-check.ts';
import { addressOf } from '../location/located-connector.ts';
import type { MasterLocator } from '../location/master-locator.ts';
import type { ServerAddress } from '../location/redis-location.ts';
import { isSame } from '../location/redis-location.ts';
import type { Needs } from './bounded-work.ts';
import { BoundedWork } from './bounded-work.ts';
import { KeysGuard } from './keys-guard.ts';
import type { Outage } from './outage.ts';
import { outageOf, refusedBy, replaced, unreachable, unreachableBy } from './outage.ts';

/** A connection that holds commands during an outage. */
export interface OutageTolerantConnection {
  readonly stream: object | undefined;
  release(): void;
  disconnect(reconnect: boolean): void;
}

/** Reports outages: when one begins, or changes into another one, and when it ends. */
export type OnOutage = (news: { readonly outage: Outage } | { readonly overAfterMs: number }) => void;

/** Callback for requests that cannot wait for the end of an outage. */
export interface Outages {
  /** The present outage; undefined when there is none. */
  current(): Outage | undefined;
  /** Fails with RequestError when Redis does not accept a write within this time, or may evict runs. */
  check(timeoutMs: number): Promise<void>;
  /**
   * Executes work that needs Redis. Fails with RequestError without starting it during an outage that blocks it, and
   * soon after an outage has begun meanwhile; work in progress may then still be executed when Redis is back.
   */
  bounded<T>(needs: Needs, work: () => Promise<T>): Promise<T>;
}

/** Options of an {@link OutageMonitor}. */
interface MonitorOptions {
  /** Key that probes name, which never exists. */
  readonly probeKey: string;
  /** Finds the master of a Redis that has several servers. */
  readonly locator?: MasterLocator | undefined;
  /** Checks the keys of an installation in a cluster. */
  readonly keysCheck?: KeysCheck | undefined;
}

/** Interval between two checks of the connection, and between two probes, in milliseconds. */
const everyMs = 500;
/** Interval between two probes while a cluster moves keys, in milliseconds. */
const probeSoonMs = 50;
/** Time within which a broken connection may reconnect without being an outage. */
const awayAfterMs = 1000;
/** Time without a reply after which a server with pending commands counts as unreachable. */
const silentAfterMs = 2000;
/** Time after which a new connection replaces a silent one: the address may resolve to another server now. */
const abandonedAfterMs = 6000;
/** Outages that a new connection may have ended. */
const probedWhenReady: ReadonlySet<string> = new Set(['REDIS_UNREACHABLE', 'REDIS_MOVED', 'REDIS_READONLY']);
/** Time within which all sentinels know a master that one of them has announced, in milliseconds. */
const announcedMs = 5000;

/**
 * Monitors the outages of one Redis for all connections of a process. An outage is reported by the connection whose
 * command was refused, or detected here when the first connection is broken or silent. It ends when a probe succeeds: a
 * command that Redis treats as a write and that changes nothing. Without an outage, no probes are sent.
 *
 * In a cluster, no command is sent before all keys were found at the node of the connection. They are checked again at
 * another node and after each outage; until then the commands of all connections wait.
 */
export class OutageMonitor implements Outages {
  readonly #root: Redis;
  readonly #boundedWork = new BoundedWork();
  readonly #patients = new Set<OutageTolerantConnection>();
  readonly #ends = new Set<() => void>();
  readonly #probes = new WeakSet<object>();
  readonly #timer: NodeJS.Timeout;
  readonly #probeKey: string;
  readonly #locator: MasterLocator | undefined;
  readonly #keys: KeysGuard;
  /** Last error of an attempt to connect. */
  #cause: unknown;
  #locating = false;
  #onOutage: OnOutage = () => undefined;
  #current: Outage | undefined;
  #since = 0;
  #probing: Promise<void> | undefined;
  #readyAt = performance.now();
  /** Time since which a new connection waits for its first reply. */
  #greetingAt: number | undefined;
  /** The server was silent, so other connections may wait for it without effect. */
  #abandoned = false;
  #received = { bytes: 0, at: performance.now() };

  constructor(root: Redis, { probeKey, locator, keysCheck }: MonitorOptions) {
    this.#root = root;
    this.#probeKey = probeKey;
    this.#locator = locator;
    this.#keys = new KeysGuard(keysCheck);
    // Replies that have arrived while this process was busy are read before immediates, but after timers.
    this.#timer = setInterval(() => setImmediate(() => this.#look()), everyMs).unref();
    root.once('end', () => clearInterval(this.#timer));
    root.on('error', (error) => {
      this.#cause = error;
    });
    root.on('ready', () => {
      this.#cause = undefined;
      const outage = this.#current;
      if (this.#keys.isDue() || (outage !== undefined && probedWhenReady.has(outage.code))) void this.#probe(outage);
    });
  }

  /** Sets the report of outages. */
  onOutage(callback: OnOutage): void {
    this.#onOutage = callback;
  }

  /** Returns the locator of the master, if the Redis has several servers. */
  get locator(): MasterLocator | undefined {
    return this.#locator;
  }

  /** Resolves when there is no outage. */
  async over(): Promise<void> {
    if (this.#current !== undefined) await new Promise<void>((resolve) => this.#ends.add(resolve));
  }

  add(patient: OutageTolerantConnection): () => void {
    this.#patients.add(patient);
    return () => void this.#patients.delete(patient);
  }

  /** Connects to a new master that was announced: the former one may continue acknowledging writes, which are lost. */
  follow(to: ServerAddress): void {
    const there = addressOf(this.#root.stream ?? this);
    this.#locator?.accept(to, announcedMs);
    if (isSame(there, to)) return;
    for (const patient of this.#patients) patient.disconnect(true);
    this.note(replaced);
  }

  /** Connects to the master that other servers name, if it is another one: its announcement may have been missed. */
  async followLocated(): Promise<void> {
    // No sentinel knows the master during an election; it is announced afterwards.
    const master = await this.#locator?.locate().catch(() => undefined);
    const there = addressOf(this.#root.stream ?? this);
    if (master !== undefined && there !== undefined && !isSame(there, master)) this.follow(master);
  }

  /** Sets the source of the runs of this process, whose state must be among the keys. */
  expectRuns(known: () => readonly RunId[]): void {
    this.#keys.expectRuns(known);
  }

  /** Returns whether commands may be sent to the server of a connection; if not, they wait for `release`. */
  admits(stream: object): boolean {
    if (this.#keys.admits(stream)) return true;
    if (this.#keys.isDue()) return false;
    this.#keys.note();
    if (this.#root.status === 'ready') void this.#probe();
    return false;
  }

  isProbe(command: object): boolean {
    return this.#probes.has(command);
  }

  current(): Outage | undefined {
    return this.#current;
  }

  /** Records that a command was refused. */
  note(outage: Outage): void {
    const before = this.#current;
    if (outage.stops === 'everything') this.#keys.note();
    if (before === undefined) this.#since = performance.now();
    this.#current = outage;
    // Held reads are executed now; writes are refused, and held, once more.
    if (before?.stops === 'everything' && outage.stops === 'writes') this.#release();
    if (before?.code === outage.code) return;
    this.#onOutage({ outage });
    if (outage.code === 'REDIS_SLOT_MOVING') this.#probeSoon();
    if (outage.reconnect && before === undefined) this.#root.disconnect(true);
  }

  /**
   * Resolves when it is known whether there is an outage: a new connection may still have to end one, or to check the keys. Fails
   * with RequestError when Redis does not answer within this time.
   */
  async settled(timeoutMs: number): Promise<void> {
    if (this.#needsProbe()) await withTimeout(this.#probe(), timeoutMs, () => refusedBy(this.#current ?? unreachable));
  }

  bounded<T>(needs: Needs, work: () => Promise<T>): Promise<T> {
    return this.#boundedWork.run(this.#current, needs, work);
  }

  async check(timeoutMs: number): Promise<void> {
    if (this.#root.status !== 'ready') throw refusedBy(this.#current ?? unreachable);
    const outage = await withTimeout(this.#inspect(), timeoutMs, () => refusedBy(unreachable));
    if (outage !== undefined) throw refusedBy(outage);
  }

  #look(): void {
    const now = performance.now();
    const { status, stream, commandQueue } = this.#root;
    if (status === 'ready') this.#readyAt = now;
    if (status === 'connect') this.#greetingAt ??= now;
    else this.#greetingAt = undefined;
    const bytes = status === 'ready' ? stream.bytesRead : 0;
    if (bytes !== this.#received.bytes || commandQueue.length === 0) this.#received = { bytes, at: now };
    const silentMs = now - this.#received.at;
    if (now - this.#readyAt > awayAfterMs || silentMs > silentAfterMs) {
      this.note(silentMs > silentAfterMs ? unreachable : unreachableBy(this.#cause));
      void this.#relocate(bytes);
    }
    if (Math.max(silentMs, now - (this.#greetingAt ?? now)) > abandonedAfterMs) this.#abandon(bytes);
    else if (status === 'ready' && this.#needsProbe()) void this.#probe();
    if (this.#current !== undefined) this.#boundedWork.refuse(this.#current, this.#since);
  }

  #abandon(bytes: number): void {
    const now = performance.now();
    this.#received = { bytes, at: now };
    this.#greetingAt = undefined;
    this.#abandoned = true;
    this.#root.disconnect(true);
  }

  /** Abandons a silent server when another one is the master. */
  async #relocate(bytes: number): Promise<void> {
    const { status, stream } = this.#root;
    if (this.#locator === undefined || this.#locating || (status !== 'ready' && status !== 'connect')) return;
    this.#locating = true;
    try {
      const [there, master] = [addressOf(stream), await this.#locator.locate()];
      if (!isSame(there, master) && this.#root.stream === stream) this.#abandon(bytes);
    } catch {
      // No sentinel knows the master now; the next check asks again.
    } finally {
      this.#locating = false;
    }
  }

  #needsProbe = (): boolean => this.#current !== undefined || this.#keys.isDue();

  /** The next regular probe would be late: many moves take less time. */
  #probeSoon(): void {
    setTimeout(() => {
      if (this.#current?.code !== 'REDIS_SLOT_MOVING') return;
      void this.#probe();
      this.#probeSoon();
    }, probeSoonMs).unref();
  }

  /**
   * Sends a probe, which ends the outage or reconnects. A connection that encounters the outage for which it was made
   * stays until the next regular probe, as a server that is a replica would be connected to without a delay.
   */
  #probe(madeFor?: Outage): Promise<void> {
    this.#probing ??= this.#probeOnce(madeFor).finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  async #probeOnce(madeFor: Outage | undefined): Promise<void> {
    const outage = await this.#inspect();
    if (outage === undefined) this.#end();
    else if (outage.reconnect && outage.code !== madeFor?.code && this.#root.status === 'ready')
      this.#root.disconnect(true);
  }

  /**
   * Sends a probe; returns the outage that it encountered. Any other refusal, such as one by access rules, is no
   * outage.
   */
  async #ask(): Promise<Outage | undefined> {
    try {
      await this.#send('setrange', this.#probeKey, '0', '');
      return undefined;
    } catch (error) {
      return outageOf(error);
    }
  }

  /** Sends a probe, and checks the keys if that is due; returns the outage that was encountered. */
  async #inspect(): Promise<Outage | undefined> {
    for (;;) {
      const outage = await this.#ask();
      if (outage !== undefined || !this.#keys.isDue()) return outage;
      const found = await this.#keys.inspect(this.#root, (name, ...args) => this.#send(name, ...args));
      if (found === undefined) continue;
      this.note(found);
      return found;
    }
  }

  /** Sends a command that does not wait for the end of an outage. */
  #send(name: string, ...args: readonly (string | number)[]): Promise<unknown> {
    const command = new Command(name, [...args], { replyEncoding: 'utf8' });
    this.#probes.add(command);
    this.#root.sendCommand(command);
    return command.promise;
  }

  #end(): void {
    const outage = this.#current;
    this.#current = undefined;
    if (outage !== undefined) this.#onOutage({ overAfterMs: performance.now() - this.#since });
    // Others may still be connected to the previous server.
    const isReplaced = this.#abandoned || (outage?.reconnect === true && outage.code !== unreachable.code);
    for (const patient of this.#patients)
      if (patient.stream !== this.#root.stream && (isReplaced || this.#keys.isElsewhere(patient.stream)))
        patient.disconnect(true);
    this.#abandoned = false;
    this.#release();
  }

  #release(): void {
    for (const resolve of this.#ends) resolve();
    this.#ends.clear();
    for (const patient of this.#patients) patient.release();
  }
}
