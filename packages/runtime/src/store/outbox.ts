import type { RunId } from '@millrace/core';

/** That something has happened in a run of which somebody outside is to be told. */
export interface OutboxEntry {
  /** Of the notice itself. */
  readonly id: string;
  readonly run: RunId;
  /** The id of the event in the run's journal. */
  readonly entry: string;
}

/**
 * What is still to be told to somebody outside. Notices come with the commit of what they tell of, so none is lost, and
 * stay until they are done. Each is given to one taker, and to another one when it is not done after a while.
 */
export interface Outbox {
  /** Waits until there are some; none when the signal is aborted, or now and then while there are none. */
  take(signal: AbortSignal): Promise<readonly OutboxEntry[]>;
  done(ids: readonly string[]): Promise<void>;
}
