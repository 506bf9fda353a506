import type { BatchLine, RowUsage } from '@millrace/runtime';

/** Note on a row beside its status. */
export interface RowNote {
  /** From 1; each has a run of its own. */
  readonly attempt: number;
  /** The run that it has, or had last; absent while it never had one. */
  readonly run?: string;
  /** The run of the attempt continues from its failure. */
  readonly again?: true;
  /** Usage of the run, when it has ended last. */
  readonly usage?: RowUsage;
  /** Reason of its failure. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** The note of a row; that of a first attempt when there is none. */
export const noteIn = ({ note }: BatchLine): RowNote =>
  note === undefined ? { attempt: 1 } : (JSON.parse(note) as RowNote); // written by those who move rows
