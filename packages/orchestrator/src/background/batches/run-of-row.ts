import type { RunDescription } from '@millrace/runtime';

/** What names the runs of a batch. */
interface BatchIdentity {
  readonly id: string;
  readonly making: string;
}

/**
 * As in `letters_17`. Where that was taken, or the row is tried again without its run going on, it says for which
 * making of the batch it is, and the attempt: `letters_0c8f5ad31b2e_17_2`.
 */
export const runOfRow = ({ id, making }: BatchIdentity, row: number, attempt: number): string =>
  attempt === 1 ? `${id}_${row}` : `${id}_${making}_${row}_${attempt}`;

/** The rows that a run with this id may be of: the id of a batch may end in such a way, too. */
export function rowsOfRun(run: string): readonly { readonly batch: string; readonly row: number }[] {
  return [/^(.+)_(\d+)$/, /^(.+)_[0-9a-f]{12}_(\d+)_\d+$/].flatMap((form) => {
    const [, batch, row] = form.exec(run) ?? [];
    return batch === undefined ? [] : [{ batch, row: Number(row) }];
  });
}

/** Whether a run works on a row: others may have its id, such as that of a batch which was forgotten. */
export const isOfRow = ({ batch }: RunDescription, { id, making }: BatchIdentity, row: number): boolean =>
  batch !== undefined && batch.batch === id && batch.making === making && batch.row === row;
