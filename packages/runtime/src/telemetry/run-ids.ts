import { createHash } from 'node:crypto';
import type { RunId } from '@millrace/core';
import type { IdGenerator } from '@opentelemetry/sdk-trace-base';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns the trace id of a run that was started without one: the same in all processes. */
export const traceIdOf = (run: RunId): string => digest(`trace/${run}`).slice(0, 32);

/** Returns the span id of one segment of a run, known before the span is sent. */
export const runSpanId = (run: RunId, segment: number): string => digest(`run/${run}/${segment}`).slice(0, 16);

/** Generates random ids of spans, except for given ones. */
export class RunIds implements IdGenerator {
  readonly #random: IdGenerator;
  #given: { readonly traceId: string; readonly spanId: string } | undefined;

  constructor(random: IdGenerator) {
    this.#random = random;
  }

  /** Makes one span with these ids. */
  as<T>(given: { readonly traceId: string; readonly spanId: string }, make: () => T): T {
    this.#given = given;
    try {
      return make();
    } finally {
      this.#given = undefined;
    }
  }

  generateTraceId(): string {
    return this.#given?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#given?.spanId ?? this.#random.generateSpanId();
  }
}
