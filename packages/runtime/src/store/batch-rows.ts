import type { RowStatus } from '@millrace/core';

/** A row of a batch. */
export interface BatchLine {
  /** From 1. */
  readonly row: number;
  readonly status: RowStatus;
  /** What is to be done with it; never changes. */
  readonly json: string;
  /** What became of it beside its status. */
  readonly note?: string;
}

/** Another status of a row. */
export interface RowStatusChange {
  readonly row: number;
  /** It moves only from one of these. */
  readonly from: readonly RowStatus[];
  readonly to: RowStatus;
  /** In place of the note that there is, if there is one. */
  readonly note?: string;
}

/**
 * The rows of batches, kept so that a change of one costs the same however many there are. A batch is known by a name of
 * the installation, unless it is said by what else.
 */
export interface BatchRows<Name = string> {
  /** Writes new rows. Doing it again before anything was moved changes nothing. */
  put(batch: Name, rows: readonly BatchLine[]): Promise<void>;
  /** Those of these numbers that there are. */
  read(batch: Name, rows: readonly number[]): Promise<readonly BatchLine[]>;
  /** Says whether it moved: of two that move a row out of one status, one does. */
  move(batch: Name, move: RowStatusChange): Promise<boolean>;
  /** Numbers of the rows with a status, behind `after`, ascending, at most `limit`. */
  page(
    batch: Name,
    status: RowStatus,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly number[]>;
  /** Returns the number of rows by status. */
  counts(batch: Name): Promise<Readonly<Record<RowStatus, number>>>;
  /** The first rows that wait, as many as may start when `parallel` may run at a time: all as of one moment. */
  startable(batch: Name, parallel: number): Promise<readonly number[]>;
  remove(batch: Name): Promise<void>;
}
