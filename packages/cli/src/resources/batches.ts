import type { Batch, RowQuery } from '@millrace/client';
import { reportMissingServers, withSession } from '../client/session.ts';
import { batchesTable, batchStateTable, rowsTable } from '../output/tables/batch-table.ts';
import type { Cli } from '../process/cli.ts';
import { first } from '../requests/first.ts';
import { watchBatch } from './watch-batch.ts';

/** Prints the batches that there are, newest first. */
export async function listBatches(cli: Cli, { limit, json }: { limit: number; json?: boolean }): Promise<void> {
  await withSession(cli, {}, async ({ millrace: { batches } }) => {
    const found = await first(limit, batches.list());
    if (json === true) cli.terminal.data(JSON.stringify(found, null, 2));
    else if (found.length === 0) cli.terminal.say('There are no batches yet: millrace batch start WORKFLOW TABLE');
    else cli.terminal.data(batchesTable(found));
  });
}

/** Changes a batch, and prints its status afterwards. */
export async function orderBatch(
  cli: Cli,
  {
    id,
    json,
    order,
    row,
    watch,
  }: {
    readonly id: string;
    /** Of a retry: only this row. */
    readonly row?: number;
    readonly json: boolean;
    readonly order: 'get' | 'cancel' | 'retryFailed';
    readonly watch: boolean;
  },
): Promise<void> {
  await withSession(cli, {}, async (session) => {
    const { batches } = session.millrace;
    const ordered = row === undefined ? await batches[order](id) : await batches.retryRow(id, row);
    show(cli, watch ? await watchBatch(session, id) : ordered, json);
    if (order !== 'get') await reportMissingServers(session);
  });
}

const show = ({ terminal }: Cli, batch: Batch, json: boolean): void =>
  terminal.data(json ? JSON.stringify(batch, null, 2) : batchStateTable(batch));

/** Prints rows of a batch. */
export async function listRows(
  cli: Cli,
  { id, json, limit, ...query }: RowQuery & { readonly id: string; readonly limit: number; readonly json?: boolean },
): Promise<void> {
  await withSession(cli, {}, async ({ millrace: { batches } }) => {
    const rows = await first(limit, batches.rows(id, query));
    if (json === true) cli.terminal.data(JSON.stringify(rows, null, 2));
    else if (rows.length === 0) cli.terminal.say('No rows match.');
    else cli.terminal.data(rowsTable(rows));
  });
}

/** Forgets a batch that is finished. */
export async function removeBatch(cli: Cli, id: string, json: boolean): Promise<void> {
  await withSession(cli, {}, async ({ millrace: { batches } }) => {
    const batch = await batches.remove(id);
    if (json) cli.terminal.data(JSON.stringify(batch, null, 2));
    else cli.terminal.say(`The batch ${id} was removed; its runs remain.`);
  });
}
