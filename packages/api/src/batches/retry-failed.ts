import type { Batches } from '@millrace/runtime';
import { reopened } from './reopen.ts';
import type { RowNote } from './row-note.ts';
import { noteIn } from './row-note.ts';

const atOnce = 200;

/** Has the rows of a batch wait again that have failed or were terminated; says how many. Throws RequestError when there is no such batch. */
export async function retryFailed(batches: Batches, id: string): Promise<number> {
  const { rows } = batches;
  const batch = await batches.change(id, reopened);
  let count = 0;
  for (const from of ['failed', 'terminated'] as const) {
    for (;;) {
      const lines = await rows.read(batch, await rows.page(batch, from, { after: 0, limit: atOnce }));
      if (lines.length === 0) break;
      for (const line of lines) {
        const { error: _past, ...before } = noteIn(line);
        const note = JSON.stringify({ ...before, again: true } satisfies RowNote);
        if (await rows.move(batch, { row: line.row, from: [from], to: 'waiting', note })) count += 1;
      }
    }
  }
  return count;
}
