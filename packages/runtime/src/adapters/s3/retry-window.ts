import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../redis/connection/report.ts';
import type { S3Failure } from './failure.ts';
import { refusalFor } from './failure.ts';

/** Outcome of one attempt at a request. */
export type AttemptResult<T> = { readonly value: T } | { readonly failure: S3Failure };

/** Time for which requests are repeated while they fail, in milliseconds. */
const defaultRepeatsForMs = 15_000;
const minDelayMs = 100;
const maxDelayMs = 2000;

/**
 * Repeats requests to one store while they fail for a reason that passes. All requests of a process share the time at
 * which the store began to fail, so that in a long outage each of them is tried once and refused.
 */
export class RetryWindow {
  readonly #location: string;
  readonly #report: Report;
  readonly #repeatsForMs: number;
  #failingSince: number | undefined;

  constructor(location: string, report: Report, repeatsForMs = defaultRepeatsForMs) {
    this.#location = location;
    this.#repeatsForMs = repeatsForMs;
    this.#report = report;
  }

  /** Throws RequestError when the request fails for good, or for longer than is waited. */
  async request<T>(attempt: () => Promise<AttemptResult<T>>, repeatsForMs = this.#repeatsForMs): Promise<T> {
    const began = performance.now();
    for (let delayMs = minDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      const outcome = await attempt();
      if ('value' in outcome) {
        this.#succeeded();
        return outcome.value;
      }
      const { failure } = outcome;
      if (!failure.passing) throw refusalFor(this.#location, failure);
      const since = Math.min(began, this.#failed(failure));
      if (performance.now() + delayMs > since + repeatsForMs) throw refusalFor(this.#location, failure);
      await sleep(delayMs * (0.5 + Math.random() / 2));
    }
  }

  #succeeded(): void {
    if (this.#failingSince === undefined) return;
    const seconds = Math.round((performance.now() - this.#failingSince) / 1000);
    this.#failingSince = undefined;
    this.#report(`${this.#location} answers again after ${seconds} s`);
  }

  #failed({ reason }: S3Failure): number {
    if (this.#failingSince === undefined) {
      this.#failingSince = performance.now();
      this.#report(`${this.#location} ${reason}; trying again`);
    }
    return this.#failingSince;
  }
}
