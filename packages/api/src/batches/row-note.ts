import type { BatchLine, RowUsage } from '@millrace/runtime';

/** Note on a row beside its status. */
export interface RowNote {
  /** Number of the attempt, from 1; each attempt has its own run. */
  readonly attempt: number;
  /** Id of the present or the last run of the row; absent if it never had one. */
  readonly run?: string;
  /** The run of the attempt continues from its failure. */
  readonly again?: true;
  /** Usage of the run at its last end. */
  readonly usage?: RowUsage;
  /** Reason of its failure. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** Returns the note of a row; by default that of a first attempt. */
export const rowNoteOf = ({ note }: BatchLine): RowNote =>
  note === undefined ? { attempt: 1 } : (JSON.parse(note) as RowNote); // written by those who move rows
