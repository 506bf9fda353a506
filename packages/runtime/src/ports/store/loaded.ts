import type { State } from '@millrace/core';

/** A run as loaded from the store. */
export interface Loaded {
  readonly state: State;
  readonly version: number;
  readonly nonce: string;
  /** Time of its last commit, in milliseconds since 1970. */
  readonly at: number;
}
