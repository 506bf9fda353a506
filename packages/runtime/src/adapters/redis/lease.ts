import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '../../concurrency/with-timeout.ts';
import type { Broadcast, Subscription } from '../../ports/broadcast.ts';
import type { Lease } from '../../ports/lease.ts';
import { runScript, scriptOf } from './commands/script.ts';
import type { Shard } from './connection/shard.ts';
import { refusedBy, unreachable } from './outages/outage.ts';

/*
 * Work that an installation needs once, however many processes it has, is done by the holder of a lease: a key in Redis
 * with the name of the holder, which expires. The holder renews it at least three seconds before it would expire. Another process
 * reads how long the lease still lasts, waits for that time, and takes it if it has not been renewed.
 *
 * A lease saves work and is no lock: the work that it covers may be done by two processes at once. This happens when a
 * holder was stopped for longer than its lease (it notices this by its own monotonic clock, before its next piece of
 * work), when the key is deleted, or when the clock of Redis is set forward.
 */

/** Options of {@link startLease}. */
export interface LeaseOptions {
  readonly shard: Shard;
  /** Announces that the lease was given back. */
  readonly broadcast: Broadcast;
  /** Kind of work. */
  readonly name: string;
  /** Time in milliseconds after which a holder that has died is replaced. */
  readonly leaseMs?: number | undefined;
  readonly onError: (error: Error) => void;
}

/** Longest time before its end at which a lease is renewed, in milliseconds. */
const marginMs = 3000;
/** Pause after an error, in milliseconds. */
const retryMs = 1000;
/** Longest delay that giving the lease back causes to the end of a process, in milliseconds. */
const releaseTimeoutMs = 500;

/** Starts to compete for a lease, until it is closed. */
export const startLease = (options: LeaseOptions): Lease => new CompetingLease(options);

class CompetingLease implements Lease {
  readonly #options: LeaseOptions;
  readonly #key: string;
  readonly #leaseMs: number;
  readonly #holder = `${holderName()} ${randomUUID()}`;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<() => void>();
  readonly #subscription: Subscription;
  readonly #ended: Promise<void>;
  /** Until then this process holds the lease, by its monotonic clock. */
  #heldUntil = Number.NEGATIVE_INFINITY;
  #interruptSleep = (): void => undefined;

  constructor(options: LeaseOptions) {
    const { shard, broadcast, name, leaseMs = 5000 } = options;
    this.#options = options;
    this.#key = shard.keys.lease(name);
    this.#leaseMs = leaseMs;
    this.#subscription = broadcast.listen(topicOf(name), () => this.#interruptSleep());
    this.#ended = this.#compete();
  }

  async whenHeld(signal: AbortSignal): Promise<void> {
    if (this.#isHeld() || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const resume = (): void => {
        this.#waiting.delete(resume);
        signal.removeEventListener('abort', resume);
        resolve();
      };
      this.#waiting.add(resume);
      signal.addEventListener('abort', resume);
    });
  }

  async close(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const { shard, broadcast, name } = this.#options;
    this.#stop.abort();
    this.#interruptSleep();
    this.#subscription.stop();
    // No process can take the lease during an outage; then it expires.
    if (shard.connection.status !== 'ready') return;
    const place = { keys: [this.#key], args: [this.#holder] };
    const released = this.#ended.then(() => runScript(shard.connection, release, place));
    const count = await withTimeout(released, releaseTimeoutMs, () => refusedBy(unreachable)).catch(() => 0);
    if (count === 1) broadcast.send(topicOf(name), 'released');
  }

  #isHeld(): boolean {
    return performance.now() < this.#heldUntil;
  }

  async #compete(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const interruption = new AbortController();
      this.#interruptSleep = () => interruption.abort();
      const delayMs = await this.#look().catch((error: unknown) => {
        if (!signal.aborted) this.#options.onError(error instanceof Error ? error : new Error(String(error)));
        return retryMs;
      });
      await sleep(delayMs, undefined, { signal: interruption.signal }).catch(() => undefined);
    }
  }

  /** Renews the lease or takes it if possible; returns when to look again, in milliseconds from now. */
  async #look(): Promise<number> {
    const remainingMs = this.#isHeld() ? undefined : await this.#untilEndMs();
    if (remainingMs !== undefined || this.#stop.signal.aborted) return (remainingMs ?? 0) + 1;
    const askedAt = performance.now();
    const otherMs = (await this.#renew()) ? 0 : await this.#take();
    if (otherMs > 0) {
      this.#heldUntil = Number.NEGATIVE_INFINITY;
      return Math.min(otherMs, this.#leaseMs) + 1;
    }
    this.#heldUntil = askedAt + this.#leaseMs;
    // A reply that was late, as after an outage, says nothing any more.
    if (!this.#isHeld()) return 1;
    for (const resume of [...this.#waiting]) resume();
    return Math.max(this.#leaseMs * 0.4, this.#leaseMs - marginMs);
  }

  /** Returns for how long the lease of another process still lasts; undefined when it has ended. */
  async #untilEndMs(): Promise<number | undefined> {
    const { connection } = this.#options.shard;
    const remainingMs = await connection.pttl(this.#key);
    if (remainingMs === absent) return undefined;
    if (remainingMs >= 0 && remainingMs <= this.#leaseMs) return remainingMs;
    // The clock of Redis was set back. A holder that is alive renews the lease sooner than it ends now.
    await connection.pexpire(this.#key, this.#leaseMs);
    return this.#leaseMs;
  }

  /**
   * Renews the lease if this process holds it, with one command instead of the three of a script. The lease of another
   * process, which has taken it meanwhile, is prolonged once.
   */
  async #renew(): Promise<boolean> {
    if (!this.#isHeld()) return false;
    return (await this.#options.shard.connection.getex(this.#key, 'PX', this.#leaseMs)) === this.#holder;
  }

  /** Returns 0 if this process holds the lease now, or for how long that of another one lasts. */
  async #take(): Promise<number> {
    const place = { keys: [this.#key], args: [this.#holder, this.#leaseMs] };
    return Number(await runScript(this.#options.shard.connection, take, place));
  }
}

const topicOf = (name: string): string => `lease/${name}`;

/** Name of this process in leases: host and process. */
const holderName = (): string => `${hostname()}-${process.pid}`;

/** Returns the name of the process that holds a lease; undefined if none does. */
export async function leaseHolder({ connection, keys }: Shard, name: string): Promise<string | undefined> {
  return (await connection.get(keys.lease(name)))?.split(' ', 1)[0];
}

/** Reply of PTTL for a key that does not exist. */
const absent = -2;

/**
 * Takes a lease. KEYS: the lease. ARGV: the holder, and its time in milliseconds. Returns 0, or for how long
 * the lease of another process still lasts.
 */
const take = scriptOf(`
local holder = redis.call('get', KEYS[1])
if holder and holder ~= ARGV[1] then return math.max(redis.call('pttl', KEYS[1]), 1) end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 0
`);

/** Gives a lease back. KEYS: the lease. ARGV: the holder. Returns the number of leases that were given back. */
const release = scriptOf(`
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('del', KEYS[1])
`);
