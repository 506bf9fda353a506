import type { ModelUsage, RowStatus } from '@millrace/core';

/** A row of a batch. */
export interface BatchLine {
  /** From 1. */
  readonly row: number;
  readonly status: RowStatus;
  /** Immutable input of the row. */
  readonly json: string;
  /** Result of the row beside its status. */
  readonly note?: string;
}

/** Another status of a row. */
export interface RowStatusChange {
  readonly row: number;
  /** Statuses from which it may change. */
  readonly from: readonly RowStatus[];
  readonly to: RowStatus;
  /** Replaces the present note, if there is one. */
  readonly note?: string;
  /** Adds to the usage of the batch. */
  readonly spent?: RowUsage;
  /** The row is moved only if this is its present note; absent: whatever it is. */
  readonly before?: string;
}

/** Usage of model calls by rows of a batch: whole numbers. */
export type RowUsage = Partial<ModelUsage>;

/**
 * Rows of batches, stored so that the cost of a change does not depend on the number of rows. A batch is identified by
 * its name in the installation.
 */
export interface BatchRows<Name = string> {
  /** Writes new rows. Repeating this before a row has changed has no effect. */
  put(batch: Name, rows: readonly BatchLine[]): Promise<void>;
  /** Returns the existing rows with these numbers. */
  read(batch: Name, rows: readonly number[]): Promise<readonly BatchLine[]>;
  /** Changes a status; returns whether it changed: of two concurrent changes from one status, one succeeds. */
  move(batch: Name, move: RowStatusChange): Promise<boolean>;
  /** Numbers of the rows with a status, behind `after`, ascending, at most `limit`. */
  page(
    batch: Name,
    status: RowStatus,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly number[]>;
  /** Returns the number of rows by status. */
  counts(batch: Name): Promise<Readonly<Record<RowStatus, number>>>;
  /** Returns the usage that moves have added up. */
  usage(batch: Name): Promise<RowUsage>;
  /** Returns the first waiting rows, as many as may start when `parallel` may run at a time: all as of one moment. */
  startable(batch: Name, parallel: number): Promise<readonly number[]>;
  remove(batch: Name): Promise<void>;
}
