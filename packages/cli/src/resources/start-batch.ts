import { basename, extname } from 'node:path';
import type { BatchOptions, TablePreview } from '@millrace/client';
import { omitUndefined } from '@millrace/core/omit-undefined';
import { reportMissingServers, withSession } from '../client/session.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { columns } from '../output/tables/columns.ts';
import { shortLine } from '../output/tables/short-line.ts';
import type { Cli } from '../process/cli.ts';
import type { RunTemplateFlags } from '../requests/run-template.ts';
import { runTemplateOf } from '../requests/run-template.ts';
import { readLocalFile } from '../workflow/source-file.ts';
import { watchBatch } from './watch-batch.ts';

/** Options of a new batch. */
export interface NewBatch extends RunTemplateFlags {
  readonly named: string;
  readonly table: string;
  readonly id?: string;
  readonly parallel?: number;
  /** Meaning of columns by their names. */
  readonly column?: Readonly<Record<string, string>>;
  readonly watch?: boolean;
  readonly json?: boolean;
}

/** Creates a batch from a table. */
export async function startBatch(
  cli: Cli,
  { named, table, id, parallel, column, watch, json, ...flags }: NewBatch,
): Promise<void> {
  const rows = await rowsIn(table);
  const { workflow, ...template } = await runTemplateOf(cli, named, flags);
  const chosen = omitUndefined({ id, parallel, columns: column });
  await withSession(cli, {}, async (session) => {
    const { batches } = session.millrace;
    const batch = await batches.start(workflow, { ...template, ...chosen, ...rows });
    cli.terminal.data(json === true ? JSON.stringify(batch, null, 2) : batch.id);
    const { invalid = 0 } = batch.rows;
    const wrong =
      invalid === 0 ? '' : ` ${invalid} of them are invalid: millrace batch rows ${batch.id} --status invalid`;
    cli.terminal.say(`${batch.total} rows, ${batch.parallel} at a time.${wrong}`);
    await reportMissingServers(session);
    if (watch === true) await watchBatch(session, batch.id);
  });
}

/** Prints how a table would be read. */
export async function previewTable(
  cli: Cli,
  { table, column, json }: Pick<NewBatch, 'table' | 'column' | 'json'>,
): Promise<void> {
  const content = await contentOf(table);
  await withSession(cli, {}, async ({ millrace: { batches } }) => {
    const preview = await batches.preview({ name: basename(table), content }, column);
    if (json === true) return cli.terminal.data(JSON.stringify(preview, null, 2));
    cli.terminal.data(previewText(preview));
    for (const { row, problem } of preview.problems) cli.terminal.say(`Row ${row}: ${problem}`);
    cli.terminal.say(`${preview.total} rows, ${preview.wrong} of them invalid. Nothing was started.`);
  });
}

const previewText = (preview: TablePreview): string =>
  columns(
    ['ROW', ...preview.columns.map(({ name, to }) => `${name} → ${to ?? 'ignored'}`)],
    preview.rows.map(({ row, cells }) => [String(row), ...preview.columns.map((_, at) => shortLine(cells[at] ?? ''))]),
  );

type Rows = Pick<BatchOptions, 'rows' | 'table'>;

/** A table as it is sent: CSV and XLSX as they are, JSON as rows. */
async function rowsIn(path: string): Promise<Rows> {
  const content = contentOf(path);
  if (extname(path).toLowerCase() !== '.json') return { table: { name: basename(path), content } };
  const rows = parsed(path, content);
  if (Array.isArray(rows)) return { rows };
  throw new CommandError(exitCodes.invalid, `${path} is not a list of rows, as in [{"id": "ann", "input": "Rain."}].`);
}

function contentOf(path: string): Uint8Array<ArrayBuffer> {
  try {
    return readLocalFile(path);
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
