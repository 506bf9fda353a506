import type { RunId } from '@millrace/core';

/** A record that something has happened in a run of which somebody outside is told. */
export interface OutboxEntry {
  /** Id of the entry itself. */
  readonly id: string;
  readonly run: RunId;
  /** The id of the event in the run's journal. */
  readonly entry: string;
}

/**
 * Entries that are to be relayed to somebody outside. An entry is written with the commit that it is about, so none is lost,
 * and stays until it is done. It is given to one taker, and to another one when it is not done after a while.
 */
export interface Outbox {
  /** Waits for entries and returns some; none when the signal is aborted, or now and then while there are none. */
  take(signal: AbortSignal): Promise<readonly OutboxEntry[]>;
  done(ids: readonly string[]): Promise<void>;
}
