import type { Batch as Stored } from '@millrace/runtime';
import type { z } from 'zod';
import type { Background } from '../operation/background.ts';
import type { Context } from '../operation/context.ts';
import { startRequestOf } from '../runs/start-request.ts';
import type { ParsedRow } from '../schemas/parsed-row.ts';
import type { Batch, NewBatch } from './batch.ts';
import { batchOf, linesOf } from './batch.ts';

/** A batch, and whether it was created just now. */
interface BatchCreation {
  readonly batch: z.output<typeof Batch>;
  readonly isNew: boolean;
}

/** Creates a batch from parsed rows, unless a batch with its id exists. Throws RequestError. */
export async function createBatch(
  context: Context & { readonly background: Background },
  { rows: _read, columns: _used, parallel, id: chosen, ...run }: NewBatch,
  rows: readonly ParsedRow[],
): Promise<BatchCreation> {
  const { tenant, background, newSeed, seed = newSeed() } = context;
  const { batches } = tenant;
  const id = chosen ?? `batch_${seed.slice(0, 24)}`;
  const isThere = (await batches.read(id)) !== undefined;
  if (!isThere) await startRequestOf(sampleOf(run, rows), context);
  const made = isThere ? undefined : await batches.create({ id, run, parallel, total: rows.length }, linesOf(rows));
  await background.batches.push({ tenant: tenant.tenant, id });
  return { batch: await describeBatch(context, made ?? (await batches.find(id))), isNew: made !== undefined };
}

/** Returns the request of the first valid row, by which the batch is checked: a workflow may need variables that only rows have. */
function sampleOf(run: Omit<NewBatch, 'id' | 'parallel' | 'rows' | 'columns'>, rows: readonly ParsedRow[]) {
  const first = rows.find((row) => row.type === 'work');
  return { ...run, input: '', attachments: [], vars: { ...run.vars, ...first?.work.vars } };
}

/** Returns a batch as the API shows it, with the counts and the usage of its rows. */
export async function describeBatch(
  { tenant: { batches } }: Pick<Context, 'tenant'>,
  batch: Stored,
): Promise<z.output<typeof Batch>> {
  const [rows, usage] = await Promise.all([batches.rows.counts(batch), batches.rows.usage(batch)]);
  return batchOf(batch, { rows, usage });
}
