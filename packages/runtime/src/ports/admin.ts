import type { ActivationId, EndedStatus, QueueName, RunId } from '@millrace/core';
import type { Queue as BullQueue } from 'bullmq';

/** State of the installation as a whole, of all tenants. */
export interface InstallationAdmin {
  readonly queueAdmin: QueueAdmin;
  gauges(): Promise<Gauges>;
  /** Checks Redis, as `millrace doctor` does. */
  diagnoseRedis(): Promise<readonly Finding[]>;
  /** Returns the recent reports of workers, by their names. */
  workerReports(names: readonly string[]): Promise<ReadonlyMap<string, WorkerReport>>;
  /** Returns all present queues, those of background jobs included. */
  queues(): Promise<readonly AnyQueue[]>;
}

/** Gauges of an installation, from numbers that Redis stores anyway: no run is read. */
export interface Gauges {
  /** Time of Redis at which they were read, in milliseconds since 1970. */
  readonly at: number;
  /** Activations and alarms on the agenda. */
  readonly agenda: number;
  /** Age of the most overdue of them; 0 when none is. */
  readonly lagMs: number;
  /** A process holds the lease of the agenda. */
  readonly hasLeaseHolder: boolean;
  /** Ended runs that are kept. */
  readonly ended: Readonly<Record<EndedStatus, number>>;
  /** Bytes that the replica which is furthest behind has not confirmed; absent without replicas. */
  readonly replicationLagBytes?: number;
  /** A limit of 0 is none. */
  readonly memory: { readonly usedBytes: number; readonly limitBytes: number };
}

/** Status of a queue. */
export interface QueueStatus {
  readonly name: string;
  readonly paused: boolean;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly workers: number;
  /** Time since which the oldest waiting job waits, in milliseconds since 1970; absent when none waits. */
  readonly oldestAt?: number;
}

/** A worker that is connected to a queue. */
export interface WorkerStatus {
  /** Name in journals: host and process. */
  readonly name: string;
  readonly queue: string;
  readonly address: string;
  readonly connectedSeconds: number;
}

/** Outcome of a probe, a job without work. `busy`: the workers execute other jobs, `idle`: there is no worker. */
export type Probe = 'taken' | 'busy' | 'idle' | 'paused' | 'nobody';

/** Administration of the queues of an installation. */
export interface QueueAdmin {
  statuses(): Promise<readonly QueueStatus[]>;
  workers(): Promise<readonly WorkerStatus[]>;
  /** Pauses the queue in all processes until it is resumed. Returns false when there is no such queue. */
  pause(name: QueueName): Promise<boolean>;
  resume(name: QueueName): Promise<boolean>;
  /** Sends a probe through each queue, ahead of all other jobs, and returns the outcomes. */
  probe(timeoutMs: number): Promise<Readonly<Record<string, Probe>>>;
}

/** State of a worker, as it has reported it last. Times are milliseconds since 1970 by the clock of the worker's machine. */
export interface WorkerReport {
  /** Version of Millrace. */
  readonly version: string;
  /** Version of Node.js. */
  readonly node: string;
  readonly startedAt: number;
  /** Activations that it executes at a time, of each queue. */
  readonly concurrency: number;
  /** Number of activations that it executes. */
  readonly active: number;
  /** The oldest of them, at most 20. */
  readonly work: readonly ActiveWork[];
}

/** An activation that a worker executes. */
export interface ActiveWork {
  readonly run: RunId;
  readonly activation: ActivationId;
  readonly node: string;
  /** Number of its unit in a fan-out, from 0. */
  readonly unit?: number | undefined;
  readonly since: number;
}

/** A queue of BullMQ, with any content of jobs. */
// biome-ignore lint/suspicious/noExplicitAny: BullMQ's queues are invariant in what their jobs carry, which is not looked at here.
export type AnyQueue = BullQueue<any, any, string>;

/** Result of a check of the environment, and its cure. */
export interface Finding {
  /** `bad`: Millrace will not work; `weak`: it works, with restrictions. */
  readonly level: 'good' | 'weak' | 'bad';
  /** Subject in one or two words. */
  readonly subject: string;
  readonly message: string;
  readonly cure?: string;
}
