import type { RunId } from '@millrace/core';
import type { Chance } from '../../support/faults/seeded.ts';
import type { SmallDisk } from '../../support/faults/small-disk.ts';
import type { WorkerProcess } from '../../support/processes/worker-process.ts';
import type { Fleet } from '../../support/runs/fleet.ts';
import type { Scenario } from '../../support/runs/scenario.ts';
import type { HostileRuns } from './hostile-runs.ts';
import type { TemporaryProcesses } from './temporary-processes.ts';

/** A kind of fault. To add one, export its definition from a file of faults/, and list it in faults/index.ts: its name there is its kind. */
export interface FaultDefinition {
  /** Number of times that it comes before all of them come again, or once, half-way through a storm of more than a minute. */
  readonly times: number | 'once';
  /** Injects it once, and notes it. A fault that cannot be injected now is not noted. */
  inject(context: FaultContext): Promise<void>;
}

/** Parts of a storm that faults use. */
export interface FaultContext {
  readonly fleet: Fleet;
  readonly processes: TemporaryProcesses;
  readonly hostile: HostileRuns;
  /** Disk that Redis writes to; absent where none can be mounted: then it is never full. */
  readonly disk: SmallDisk | undefined;
  readonly chance: Chance;
  /** Workers that are active and not frozen. */
  readonly awake: Set<WorkerProcess>;
  /** Starts a worker, and another one if it dies by itself, over a run that ends its workers. */
  startWorker(): Promise<void>;
  /** Runs that faults have started, which must end with the result of their scenario. */
  readonly started: StartedRun[];
  /** Violations that faults have found, in words. */
  readonly broken: string[];
  /** Records that a fault was injected, with the worker that it hit. */
  note(kind: string, worker?: string): void;
  /** Lets work continue beside the next faults; the storm waits for its end. */
  inBackground(work: Promise<void>): void;
  /** Has work done after the last fault, such as closing what a fault has opened. */
  atEnd(work: () => Promise<void>): void;
}

/** A fault that was injected. */
export interface Fault {
  readonly kind: string;
  /** Time at which the fault began, or for Redis at which it was back; milliseconds since 1970. */
  readonly at: number;
  /** Worker that it hit. */
  readonly worker?: string;
}

/** A run that is under way. */
export interface StartedRun {
  readonly run: RunId;
  readonly scenario: Scenario;
}

/** Grace period of a worker after SIGTERM. */
export const graceful = { MILLRACE_STOP_GRACE: '4s' };
