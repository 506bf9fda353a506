import type { RunDescription } from '@millrace/runtime';

/** Identity of a batch, from which the ids of its runs derive. */
interface BatchIdentity {
  readonly id: string;
  readonly making: string;
}

/**
 /**
  * Returns the id of the run of a row, such as `letters_17`. If that id is taken, or the row is retried with a new run,
  * the id contains the creation of the batch and the attempt: `letters_0c8f5ad31b2e_17_2`.
  */
export const runOfRow = ({ id, making }: BatchIdentity, row: number, attempt: number): string =>
  attempt === 1 ? `${id}_${row}` : `${id}_${making}_${row}_${attempt}`;

/** Returns the rows that a run with this id may belong to: the id of a batch may end in the same form. */
export function rowsOfRun(run: string): readonly { readonly batch: string; readonly row: number }[] {
  return [/^(.+)_(\d+)$/, /^(.+)_[0-9a-f]{12}_(\d+)_\d+$/].flatMap((form) => {
    const [, batch, row] = form.exec(run) ?? [];
    return batch === undefined ? [] : [{ batch, row: Number(row) }];
  });
}

/** Returns whether a run belongs to a row: other runs may have its id, such as those of a deleted batch. */
export const isOfRow = ({ batch }: RunDescription, { id, making }: BatchIdentity, row: number): boolean =>
  batch !== undefined && batch.batch === id && batch.making === making && batch.row === row;
