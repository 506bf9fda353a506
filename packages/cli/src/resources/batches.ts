import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { Batch, BatchOptions, RowQuery } from '@millrace/client';
import { omitUndefined } from '@millrace/core/omit-undefined';
import { sayWhenNoServer, withSession } from '../client/session.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { batchesTable, rowsTable, standTable } from '../output/tables/batch-table.ts';
import type { Cli } from '../process/cli.ts';
import { first } from '../requests/first.ts';
import type { RunTemplateFlags } from '../requests/run-template.ts';
import { runTemplateOf } from '../requests/run-template.ts';
import { watchBatch } from './watch-batch.ts';

/** Options of a new batch. */
export interface NewBatch extends RunTemplateFlags {
  readonly named: string;
  readonly table: string;
  readonly id?: string;
  readonly parallel?: number;
  readonly watch?: boolean;
  readonly json?: boolean;
}

/** Makes a batch of a table. */
export async function startBatch(
  cli: Cli,
  { named, table, id, parallel, watch, json, ...flags }: NewBatch,
): Promise<void> {
  const rows = await rowsIn(table);
  const { workflow, ...template } = await runTemplateOf(cli, named, flags);
  const chosen = omitUndefined({ id, parallel });
  await withSession(cli, {}, async (session) => {
    const { batches } = session.millrace;
    const batch = await batches.start(workflow, { ...template, ...chosen, ...rows });
    cli.terminal.data(json === true ? JSON.stringify(batch, null, 2) : batch.id);
    const { invalid = 0 } = batch.rows;
    const wrong =
      invalid === 0 ? '' : ` ${invalid} of them are wrong: millrace batch rows ${batch.id} --status invalid`;
    cli.terminal.say(`${batch.total} rows, ${batch.parallel} at a time.${wrong}`);
    await sayWhenNoServer(session);
    if (watch === true) await watchBatch(session, batch.id);
  });
}

/** Prints the batches that there are, newest first. */
export async function listBatches(cli: Cli, { limit, json }: { limit: number; json?: boolean }): Promise<void> {
  await withSession(cli, {}, async ({ millrace: { batches } }) => {
    const found = await first(limit, batches.list());
    if (json === true) cli.terminal.data(JSON.stringify(found, null, 2));
    else if (found.length === 0) cli.terminal.say('There are no batches yet: millrace batch start WORKFLOW TABLE');
    else cli.terminal.data(batchesTable(found));
  });
}

/** Asks something of a batch, and prints how it stands then. */
export async function orderBatch(
  cli: Cli,
  {
    id,
    json,
    order,
    watch,
  }: {
    readonly id: string;
    readonly json: boolean;
    readonly order: 'get' | 'cancel' | 'retryFailed';
    readonly watch: boolean;
  },
): Promise<void> {
  await withSession(cli, {}, async (session) => {
    const { batches } = session.millrace;
    const ordered = await batches[order](id);
    show(cli, watch ? await watchBatch(session, id) : ordered, json);
    if (order !== 'get') await sayWhenNoServer(session);
  });
}

const show = ({ terminal }: Cli, batch: Batch, json: boolean): void =>
  terminal.data(json ? JSON.stringify(batch, null, 2) : standTable(batch));

/** Prints rows of a batch. */
export async function listRows(
  cli: Cli,
  { id, json, limit, ...query }: RowQuery & { readonly id: string; readonly limit: number; readonly json?: boolean },
): Promise<void> {
  await withSession(cli, {}, async ({ millrace: { batches } }) => {
    const rows = await first(limit, batches.rows(id, query));
    if (json === true) cli.terminal.data(JSON.stringify(rows, null, 2));
    else if (rows.length === 0) cli.terminal.say('There are no such rows.');
    else cli.terminal.data(rowsTable(rows));
  });
}

/** Forgets a batch that is finished. */
export async function removeBatch(cli: Cli, id: string, json: boolean): Promise<void> {
  await withSession(cli, {}, async ({ millrace: { batches } }) => {
    const batch = await batches.remove(id);
    if (json) cli.terminal.data(JSON.stringify(batch, null, 2));
    else cli.terminal.say(`The batch ${id} is forgotten; its runs stay.`);
  });
}

type Rows = Pick<BatchOptions, 'rows' | 'table'>;

/** A table as it is sent: CSV and XLSX as they are, JSON as rows. */
async function rowsIn(path: string): Promise<Rows> {
  const content = await contentOf(path);
  if (extname(path).toLowerCase() !== '.json') return { table: { name: basename(path), content } };
  const rows = parsed(path, content);
  if (Array.isArray(rows)) return { rows };
  throw new CommandError(exitCodes.invalid, `${path} is not a list of rows, as in [{"id": "ann", "input": "Rain."}].`);
}

async function contentOf(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(path));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(exitCodes.invalid, `${path} cannot be read: ${reason}. Nothing was started.`);
  }
}

function parsed(path: string, content: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content));
  } catch {
    throw new CommandError(exitCodes.invalid, `${path} is not JSON.`);
  }
}
