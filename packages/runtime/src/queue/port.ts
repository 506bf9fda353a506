import type { Wake } from '@millrace/core';

/** Does the work of one wake. The signal is aborted when the worker stops without waiting. */
export type Processor = (wake: Wake, signal: AbortSignal) => Promise<void>;

/** A consumer of wakes in this process. */
export interface Consumer {
  /** Takes no new work and waits for the work in hand. */
  close(): Promise<void>;
}

/** Wakes workers. It may lose or repeat a wake: the run's own state is the truth. */
export interface Queue {
  /** Adds the wakes; one whose id is queued or at work already is left alone. */
  wake(wakes: readonly Wake[]): Promise<void>;
  consume(processor: Processor, options: { readonly concurrency: number; readonly name: string }): Consumer;
  /** How many consumers there are in all processes. */
  consumers(): Promise<number>;
  close(): Promise<void>;
}
