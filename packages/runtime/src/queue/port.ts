import type { QueueName, Wake } from '@millrace/core';

/** Does the work of one wake. The signal is aborted when the worker stops without waiting. */
export type Processor = (wake: Wake, signal: AbortSignal) => Promise<void>;

/** A consumer of wakes in this process. */
export interface Consumer {
  /** Takes no new work and waits for the work in hand. */
  close(): Promise<void>;
}

/** Options of a consumer of wakes. */
export interface ConsumeOptions {
  /** Wakes worked on at a time, of each queue. */
  readonly concurrency: number;
  readonly name: string;
  /** Whose wakes are taken; `all`: of every queue that there is, or comes to be. Absent: of the default queue. */
  readonly queues?: readonly QueueName[] | 'all';
}

/** Load of a queue: its wakes and its consumers. */
export interface QueueLoad {
  readonly queue: QueueName;
  /** Wakes that nobody works on yet. */
  readonly waiting: number;
  readonly active: number;
  /** Workers that serve it. */
  readonly consumers: number;
}

/** Wakes workers. It may lose or repeat a wake: the run's own state is the truth. */
export interface Queue {
  /** Adds the wakes; one whose id is queued or at work already is left alone. */
  wake(wakes: readonly Wake[]): Promise<void>;
  /** Wakes again that nobody may have heard; one that is queued, at work, or waits for its turn is left alone. */
  requeue(wakes: readonly Wake[]): Promise<void>;
  /** Returns those of the wakes that are neither queued, nor at work, nor wait for their turn. */
  missing(wakes: readonly Wake[]): Promise<readonly Wake[]>;
  /** Puts right what processes that died have left. Called again and again. */
  reconcile(): Promise<void>;
  consume(processor: Processor, consuming: ConsumeOptions): Consumer;
  /** Returns the number of consumers of a queue in all processes; default: of the default queue. */
  consumers(queue?: QueueName): Promise<number>;
  /** All queues that something was ever put in, the default one first. */
  loads(): Promise<readonly QueueLoad[]>;
  close(): Promise<void>;
}
