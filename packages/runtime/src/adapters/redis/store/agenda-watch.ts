import type { Redis } from 'ioredis';
import { announceChange, subscribeToChanges } from '../../../live/refresh.ts';
import type { Broadcast, Subscription } from '../../../ports/broadcast.ts';
import type { StoreClock } from '../../../ports/store/store-clock.ts';
import { readTime } from '../../../ports/store/store-clock.ts';
import type { Keys } from '../location/keys.ts';

/*
 * The process that looks after the agenda knows when its first entry is due, and waits until then. It reads it again every
 * five seconds. A process that adds an entry which is due before that announces it, at most once a second; the agenda is
 * then read once a second for two seconds, which covers the entries that are not announced. An announcement that is lost
 * delays the entry until the next read.
 */

/** Time between two reads of an agenda with nothing due, in milliseconds. */
const lookEveryMs = 5000;
/** Time between two reads after an announcement, and between two announcements of a process, in milliseconds. */
const attentiveEveryMs = 1000;
/** Time for which an announcement is valid, in milliseconds. */
const attentiveMs = 2 * attentiveEveryMs;
/** Time after which an entry need not be announced, in milliseconds. */
const soonMs = lookEveryMs + attentiveEveryMs;
/** Age of the time of Redis from which on it is read, in milliseconds; usually other replies tell it more often. */
const oldTimeMs = lookEveryMs + attentiveEveryMs;

/** Returns the function that announces entries which were added, if one of them is due soon. */
export function createAnnouncer(
  broadcast: Broadcast | undefined,
  clock: Pick<StoreClock, 'now'>,
): (added: readonly { readonly at: number }[]) => void {
  let announcedAt = Number.NEGATIVE_INFINITY;
  return (added) => {
    if (broadcast === undefined || added.length === 0 || performance.now() - announcedAt < attentiveEveryMs) return;
    const unannouncedFrom = clock.now() + soonMs;
    if (!added.some(({ at }) => at < unannouncedFrom)) return;
    announcedAt = performance.now();
    announceChange(broadcast, 'agenda');
  };
}

/** Options of {@link AgendaWatch}. */
export interface AgendaWatchOptions {
  readonly connection: Redis;
  readonly keys: Pick<Keys, 'agenda'>;
  readonly clock: StoreClock;
  /** Carries announcements. */
  readonly broadcast: Broadcast;
}

/** Waits for entries of the agenda. */
export class AgendaWatch {
  readonly #options: AgendaWatchOptions;
  #subscription: Subscription | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Until then entries are added that are not announced. */
  #attentiveUntil = Number.NEGATIVE_INFINITY;
  #interruptSleep = (): void => undefined;

  constructor(options: AgendaWatchOptions) {
    this.#options = options;
  }

  async untilDue(signal: AbortSignal): Promise<boolean> {
    // Earlier announcements, such as those to another process, were not received.
    if (performance.now() - this.#lookedAt > soonMs) this.#attentiveUntil = performance.now() + attentiveMs;
    this.#subscription ??= subscribeToChanges(this.#options.broadcast, 'agenda', () => this.#onAnnouncement());
    const firstLookAt = performance.now();
    do {
      const dueAt = await this.#look();
      await this.#wait(dueAt, signal);
      if (this.#options.clock.now() >= dueAt) return true;
    } while (!signal.aborted && performance.now() - firstLookAt < lookEveryMs);
    return false;
  }

  close(): void {
    this.#subscription?.stop();
  }

  #onAnnouncement(): void {
    const wasAttentive = this.#isAttentive();
    this.#attentiveUntil = performance.now() + attentiveMs;
    if (!wasAttentive) this.#interruptSleep();
  }

  #isAttentive(): boolean {
    return performance.now() < this.#attentiveUntil;
  }

  /** Returns the time at which the first entry is due; infinity when there is none. */
  async #look(): Promise<number> {
    const { connection, keys, clock } = this.#options;
    this.#lookedAt = performance.now();
    const [[, score]] = await Promise.all([
      connection.zrange(keys.agenda, '0', '0', 'WITHSCORES'),
      clock.ageMs() < oldTimeMs ? undefined : readTime(connection, clock),
    ]);
    return score === undefined ? Number.POSITIVE_INFINITY : Number(score);
  }

  /** Waits until this time, or until the next read. The clock of Redis may be set meanwhile. */
  async #wait(dueAt: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const untilLookMs = () =>
      this.#lookedAt + (this.#isAttentive() ? attentiveEveryMs : lookEveryMs) - performance.now();
    for (;;) {
      const delayMs = Math.min(untilLookMs(), dueAt - clock.now());
      if (delayMs <= 0 || signal.aborted) return;
      await this.#sleep(Math.min(delayMs, attentiveEveryMs), signal);
    }
  }

  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, Math.ceil(ms));
      signal.addEventListener('abort', end);
      this.#interruptSleep = end;
    });
  }
}
