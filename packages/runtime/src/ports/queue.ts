import type { QueueName, Wake } from '@millrace/core';

/**
 * Processes one wake. The signal is aborted when the worker stops without waiting; `deaths` is the number of workers that died
 * while they processed the same wake.
 */
export type Processor = (wake: Wake, signal: AbortSignal, deaths: number) => Promise<void>;

/** A consumer of wakes in this process. */
export interface Consumer {
  /** Takes no more wakes, and waits for active work. */
  close(): Promise<void>;
}

/** Options of a consumer of wakes. */
export interface ConsumeOptions {
  /** Maximum number of active wakes, for each queue. */
  readonly concurrency: number;
  readonly name: string;
  /**
   * A wake over which as many workers have died is processed while no other such wake is in this process: so a further death
   * is due to it alone. Absent: 1.
   */
  readonly isolatedFrom?: number;
  /** Names of the queues; `all`: every queue, also those that are created later. Absent: the default queue. */
  readonly queues?: readonly QueueName[] | 'all';
}

/** Load of a queue: its wakes and its consumers. */
export interface QueueLoad {
  readonly queue: QueueName;
  /** Waiting wakes. */
  readonly waiting: number;
  readonly active: number;
  /** Workers of the queue. */
  readonly consumers: number;
}

/** Queue that wakes workers. It may lose or repeat a wake: the run's own state is the truth. */
export interface Queue {
  /** Adds the wakes; one whose id is already queued or active is left alone. */
  wake(wakes: readonly Wake[]): Promise<unknown>;
  /**
   * Adds wakes again that may be lost, also where a job without a place is left of them; one that is queued, active, or in a
   * lane is left alone.
   */
  requeue(wakes: readonly Wake[]): Promise<unknown>;
  /** Returns those of the wakes that are neither queued, nor active, nor in a lane. */
  missing(wakes: readonly Wake[]): Promise<readonly Wake[]>;
  /** Repairs the counts after the death of processes. Called repeatedly. */
  reconcile(): Promise<void>;
  consume(processor: Processor, consuming: ConsumeOptions): Consumer;
  /** Returns the number of consumers of a queue in all processes; default: of the default queue. */
  consumers(queue?: QueueName): Promise<number>;
  /** Returns all queues that were ever used, the default one first. */
  loads(): Promise<readonly QueueLoad[]>;
  close(): Promise<void>;
}
