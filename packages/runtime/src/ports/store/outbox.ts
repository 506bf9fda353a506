import type { RunId } from '@millrace/core';

/** Record of an event in a run whose events are relayed. */
export interface OutboxEntry {
  /** Id of the entry itself. */
  readonly id: string;
  readonly run: RunId;
  /** The id of the event in the run's journal. */
  readonly entry: string;
}

/**
 * Entries that are to be relayed. An entry is written in the commit of its event, so none is lost, and stays until it
 * is done. It is given to one consumer, and to another one when it is not done after a while.
 */
export interface Outbox {
  /** Waits for entries and returns some; none when the signal is aborted, or occasionally while there are none. */
  take(signal: AbortSignal): Promise<readonly OutboxEntry[]>;
  done(ids: readonly string[]): Promise<void>;
}
