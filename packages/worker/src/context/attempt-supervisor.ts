import type { Wake } from '@millrace/core';
import { liveActivation } from '@millrace/core';
import type { Runs } from '@millrace/runtime';
import type { Logger } from 'pino';

/** Attempts that take longer than this are announced in the journal. */
const announceAfterMs = 50;
/** Interval at which a worker checks that the run of an announced attempt still wants its result. */
const checkEveryMs = 500;

/** An attempt under supervision. */
export interface SupervisedAttempt {
  readonly wake: Wake;
  /** Start of the attempt, as of `performance.now()`. */
  readonly startedAt: number;
  /** Aborted when the worker stops. */
  readonly stopSignal: AbortSignal;
  readonly log: Logger;
  abort(reason: unknown): void;
}

/**
 * Supervises the attempts of a worker: announces in the journal those that take long enough to be seen, and aborts these
 * when their run has ended without them or when the worker stops. One timer serves all attempts, as most of them end
 * before it is due.
 */
export class AttemptSupervisor {
  readonly #runs: Runs;
  readonly #worker: string;
  /** Attempts that are not announced, oldest first. */
  readonly #recent = new Set<SupervisedAttempt>();
  /** Announced attempts, each with the function that ends its supervision. */
  readonly #announced = new Map<SupervisedAttempt, () => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(runs: Runs, worker: string) {
    this.#runs = runs;
    this.#worker = worker;
  }

  begin(attempt: SupervisedAttempt): void {
    this.#recent.add(attempt);
    this.#timer ??= setTimeout(() => this.#announceDue(), announceAfterMs);
  }

  end(attempt: SupervisedAttempt): void {
    if (this.#recent.delete(attempt)) return;
    this.#announced.get(attempt)?.();
    this.#announced.delete(attempt);
  }

  /** Announces the attempts whose time has come, and sets the timer for the next one. */
  #announceDue(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const attempt of this.#recent) {
      const remainingMs = attempt.startedAt + announceAfterMs - now;
      if (remainingMs > 0) {
        this.#timer = setTimeout(() => this.#announceDue(), Math.ceil(remainingMs));
        return;
      }
      this.#recent.delete(attempt);
      this.#announce(attempt);
    }
  }

  #announce(attempt: SupervisedAttempt): void {
    const { wake, stopSignal } = attempt;
    const stop = () => attempt.abort(stopSignal.reason);
    if (stopSignal.aborted) return stop();
    stopSignal.addEventListener('abort', stop);
    const logFailure = (request: Promise<unknown>) => {
      request.catch((error: unknown) => attempt.log.warn({ err: error }, 'the run of an attempt could not be reached'));
    };
    const { run, activation, token } = wake;
    logFailure(this.#runs.submit(run, { type: 'claim', activation, token, worker: this.#worker }));
    const check = setInterval(() => logFailure(this.#abortIfUnwanted(attempt)), checkEveryMs);
    this.#announced.set(attempt, () => {
      clearInterval(check);
      stopSignal.removeEventListener('abort', stop);
    });
  }

  async #abortIfUnwanted(attempt: SupervisedAttempt): Promise<void> {
    const open = await this.#runs.refresh(attempt.wake.run);
    const isWanted = open !== undefined && liveActivation(open.state, attempt.wake).type === 'live';
    if (!isWanted) attempt.abort(new Error('the run has been stopped, or has ended, without this activation'));
  }
}
