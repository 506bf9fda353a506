import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { JournalEntry } from '@millrace/core';
import type { Redis } from 'ioredis';
import { isAfter } from '../../../../journal/read-journal.ts';
import { runGone } from '../../../../ports/store/errors.ts';
import type { StreamEntry } from '../commit/run-commit.ts';
import { entriesOf } from './journal-stream.ts';

type JournalEntries = readonly JournalEntry[];

interface Waiter {
  readonly stream: string;
  readonly since: number;
  readonly after: string;
  resolve(entries: readonly JournalEntry[]): void;
  reject(error: unknown): void;
}

/** Duration of one blocking read; also the longest delay when an unblocking gets lost with the connection. */
const blockMs = 2000;
const batchSize = 1000;
/**
 * Interval between two checks that the followed runs still exist, and the minimum wait of a follower before it is
 * included.
 */
const checkEveryMs = 2000;
const maxDelayMs = 50;

/**
 * Waits for new journal entries. One connection waits for all followers of a process: it blocks on all their streams. A
 * follower who joins while it blocks has it unblocked, through the other connection, so that it includes the new
 * stream. As the unblocking may overtake the read that it is meant for, it is repeated until the reader has begun
 * another round. The reader is idle, and not even connected at first, while there are no followers.
 */
export class JournalFollower {
  readonly #connection: Redis;
  readonly #waiters = new Set<Waiter>();
  #reader: Redis | undefined;
  #readerId: Promise<number> | undefined;
  #round = 0;
  #checkedAt = performance.now();
  #reading = false;
  #closed = false;

  constructor(connection: Redis) {
    this.#connection = connection;
  }

  /**
   * Returns the entries after `after` as soon as there are any; none when the signal is aborted or the follower closed.
   * `read` returns the existing ones, wherever they are stored. Throws RequestError soon after the run is removed.
   */
  async follow(
    { stream, after, read }: { stream: string; after: string; read: (limit: number) => Promise<JournalEntries> },
    signal: AbortSignal,
  ): Promise<JournalEntries> {
    for (;;) {
      const present = await read(batchSize);
      if (signal.aborted || this.#closed) return [];
      if (present.length > 0) return present;
      const news = await this.#wait(stream, after, signal);
      const [first] = news;
      // If the stream was trimmed during the wait, the missing entries are read from the archive.
      if (first === undefined || Number.parseInt(first.id, 10) <= Number.parseInt(after, 10) + 1) return news;
    }
  }

  close(): void {
    this.#closed = true;
    this.#reader?.disconnect();
    for (const waiter of this.#waiters) waiter.resolve([]);
  }

  async #wait(stream: string, after: string, signal: AbortSignal): Promise<readonly JournalEntry[]> {
    const { promise, resolve, reject } = withResolvers<readonly JournalEntry[]>();
    const waiter: Waiter = { stream, since: performance.now(), after, resolve, reject };
    const abort = (): void => resolve([]);
    signal.addEventListener('abort', abort);
    this.#waiters.add(waiter);
    if (this.#reading) this.#unblock().catch(reject);
    else void this.#read();
    try {
      return await promise;
    } finally {
      this.#waiters.delete(waiter);
      signal.removeEventListener('abort', abort);
    }
  }

  /** Never throws: errors are passed to the followers. */
  async #read(): Promise<void> {
    this.#reading = true;
    try {
      while (this.#waiters.size > 0 && !this.#closed) {
        for (const [stream, entries] of await this.#readOnce()) this.#deliver(stream, entries.flatMap(entriesOf));
        // Served followers may wait for more entries before the next read.
        await setImmediate();
      }
    } catch (error) {
      for (const waiter of this.#waiters) waiter.reject(error);
    } finally {
      this.#reading = false;
    }
  }

  async #readOnce(): Promise<readonly (readonly [stream: string, entries: readonly StreamEntry[]])[]> {
    const reader = this.#openReader();
    const positions = new Map<string, string>();
    for (const { stream, after } of this.#waiters) {
      const lowest = positions.get(stream);
      if (lowest === undefined || isAfter(lowest, after)) positions.set(stream, after);
    }
    this.#round += 1;
    // Read each time, as it changes with every reconnection; sent together with the read.
    this.#readerId = reader.client('ID');
    this.#readerId.catch(() => undefined);
    const checked = this.#check(reader);
    // Both fail when the connection is closed; one of the two is enough.
    checked.catch(() => undefined);
    const place = ['STREAMS', ...positions.keys(), ...positions.values()] as const;
    const read = await reader.xread('COUNT', batchSize, 'BLOCK', blockMs, ...place);
    await checked;
    return read ?? [];
  }

  /**
   * Fails the followers of a removed run: a read would block forever on a stream that Redis has lost. The check is
   * occasional and sent with the read, so it costs no round trip.
   */
  async #check(reader: Redis): Promise<void> {
    const now = performance.now();
    if (now - this.#checkedAt < checkEveryMs) return;
    this.#checkedAt = now;
    const waiting = [...this.#waiters].filter(({ since }) => now - since >= checkEveryMs);
    const streams = [...new Set(waiting.map(({ stream }) => stream))];
    const there = await Promise.all(streams.map(async (stream) => (await reader.exists(stream)) === 1));
    const gone = new Set(streams.filter((_stream, at) => there[at] === false));
    for (const { stream, reject } of waiting) if (gone.has(stream)) reject(runGone());
  }

  #openReader(): Redis {
    if (this.#reader === undefined) {
      this.#reader = this.#connection.duplicate({ connectionName: 'millrace-follow' });
      // It reconnects by itself and sends a read that was under way again.
      this.#reader.on('error', () => undefined);
    }
    return this.#reader;
  }

  #deliver(stream: string, entries: readonly JournalEntry[]): void {
    for (const waiter of this.#waiters) {
      if (waiter.stream !== stream) continue;
      const news = entries.filter((entry) => isAfter(entry.id, waiter.after));
      if (news.length === 0) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(news);
    }
  }

  async #unblock(): Promise<void> {
    const joined = this.#round;
    for (
      let delayMs = 1;
      this.#reading && !this.#closed && this.#round === joined;
      delayMs = Math.min(2 * delayMs, maxDelayMs)
    ) {
      const id = await this.#readerId;
      if (id !== undefined && this.#round === joined) await this.#connection.client('UNBLOCK', id);
      await sleep(delayMs);
    }
  }
}

interface Resolvers<Value> {
  readonly promise: Promise<Value>;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

function withResolvers<Value>(): Resolvers<Value> {
  let resolve: Resolvers<Value>['resolve'] | undefined;
  let reject: Resolvers<Value>['reject'] | undefined;
  const promise = new Promise<Value>((fulfil, fail) => {
    resolve = fulfil;
    reject = fail;
  });
  // The executor of a promise runs at once.
  return { promise, resolve: resolve!, reject: reject! };
}
