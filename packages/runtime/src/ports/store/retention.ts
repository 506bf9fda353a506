import type { RunId } from '@millrace/core';
import type { Loaded } from './loaded.ts';

/** The statuses of runs that have ended. */
export const endedStatuses = ['completed', 'failed', 'cancelled', 'terminated'] as const;

/** Status of a run that has ended. */
export type EndedStatus = (typeof endedStatuses)[number];

/** Returns whether a run with this status has ended. */
export const isEnded = (status: string): status is EndedStatus => endedStatuses.some((ended) => ended === status);

/** Part of the runs that have ended or expired; `until` in milliseconds since 1970. */
export interface EndedQuery {
  readonly until: number;
  /** Number of runs that are skipped. */
  readonly skip: number;
  readonly limit: number;
}

/** Retention of ended and of temporary runs in a store. */
export interface Retention {
  /** Temporary runs of all tenants that are to be removed at `until` or before, the longest ago first. Costs as much as it gives. */
  expired(query: EndedQuery): Promise<readonly RunId[]>;
  /** Runs of all tenants that ended with this status at `until` or before, the longest ago first. Costs as much as it gives. */
  ended(status: EndedStatus, query: EndedQuery): Promise<readonly RunId[]>;
  /**
   * Removes everything of a run atomically, if it has not changed since it was loaded; returns whether it did. The
   * blobs with its journal are marked as discarded in the same step.
   */
  remove(run: RunId, loaded: Loaded): Promise<boolean>;
  /** All runs of all tenants, each at least once; of those that begin or go meanwhile, some. */
  all(): AsyncIterable<RunId>;
  /**
   * Yields all texts of a run: every digest of contents that it refers to is in one of them. Nothing when the run does
   * not exist.
   */
  writings(run: RunId): AsyncIterable<string>;
  /** Digests of blobs of removed runs that may not be deleted yet. */
  discarded(limit: number): Promise<readonly string[]>;
  /** Notes that these are. */
  deleted(digests: readonly string[]): Promise<void>;
}
