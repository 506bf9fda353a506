import type { RunId } from '@millrace/core';
import type { Loaded } from './loaded.ts';

/** The statuses of runs that have ended. */
export const endedStatuses = ['completed', 'failed', 'cancelled', 'terminated'] as const;

/** Status of a run that has ended. */
export type EndedStatus = (typeof endedStatuses)[number];

/** Returns whether a run with this status has ended. */
export const isEnded = (status: string): status is EndedStatus => endedStatuses.some((ended) => ended === status);

/** Part of the runs that have ended; `until` in milliseconds since 1970. */
export interface EndedQuery {
  readonly until: number;
  /** So many of them are left out. */
  readonly skip: number;
  readonly limit: number;
}

/** Retention of ended runs in a store. */
export interface Retention {
  /** Runs of all tenants that ended with this status at `until` or before, the longest ago first. Costs as much as it gives. */
  ended(status: EndedStatus, query: EndedQuery): Promise<readonly RunId[]>;
  /**
   * Removes all that is kept of a run, in one stroke, if it still stands as it was loaded; says whether it did. The
   * blobs with its journal are discarded in the same stroke.
   */
  remove(run: RunId, loaded: Loaded): Promise<boolean>;
  /** All runs of all tenants, each at least once; of those that begin or go meanwhile, some. */
  all(): AsyncIterable<RunId>;
  /** All that a run has written: every digest of contents that it refers to is in one of these texts. Nothing when it is not there. */
  writings(run: RunId): AsyncIterable<string>;
  /** Digests of blobs that removed runs have left, and that may not be deleted yet. */
  discarded(limit: number): Promise<readonly string[]>;
  /** Notes that these are. */
  deleted(digests: readonly string[]): Promise<void>;
}
