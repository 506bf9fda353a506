import { basename, extname } from 'node:path';
import type { BatchOptions, TablePreview } from '@millrace/client';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { reportMissingServers, withSession } from '../../client/session.ts';
import { fileInvalid } from '../../exit/file-refusals.ts';
import { parseCount } from '../../options/arguments.ts';
import { shortLine } from '../../output/short-text.ts';
import type { Cli } from '../../process/cli.ts';
import type { RunTemplateFlags } from '../../requests/run-template.ts';
import { addRunTemplateOptions, runTemplateOf } from '../../requests/run-template.ts';
import { readLocalFile } from '../../workflow/source-file.ts';
import { watchBatch } from './watch-batch.ts';

/** Meanings of columns by their names. */
type Columns = Readonly<Record<string, string>>;

interface StartFlags extends RunTemplateFlags {
  readonly id?: string;
  readonly parallel?: number;
  readonly column?: Columns;
  readonly watch?: boolean;
  readonly json?: boolean;
}

/** Adds the commands that read tables: `millrace batch start` and `preview`. */
export function addBatchStart(batch: Command, cli: Cli): void {
  addColumnOption(
    addRunTemplateOptions(batch.command('start'))
      .description('start a run of a workflow for each row of a table')
      .addHelpText('after', '\nExample:\n  millrace batch start poem people.csv --parallel 5 --watch')
      .argument('<file|name>', 'the workflow: a file, or a published one as NAME or NAME@HASH')
      .argument('<table>', 'a .csv or .xlsx file with a header (id, input, vars, attachments), or a .json list of rows')
      .option('--id <id>', 'id of the batch; creating a batch with the same id again has no effect')
      .option('--parallel <n>', 'maximum number of rows that execute at a time (default: 10)', parseCount),
  )
    .option('--watch', 'follow the batch with a progress bar until all rows have ended')
    .option('--json', 'print {id, total, rows, …}')
    .action((named: string, table: string, flags: StartFlags) => start(cli, named, table, flags));
  addColumnOption(
    batch
      .command('preview')
      .description('read a table as a batch would, print its first rows and the invalid ones, and start nothing')
      .addHelpText(
        'after',
        '\nExample:\n  millrace batch preview people.csv --column Customer=input --column City=vars.CITY',
      )
      .argument('<table>', 'a .csv or .xlsx file with a header'),
  )
    .option('--json', 'print {columns, total, wrong, rows, problems}')
    .action((table: string, flags: Pick<StartFlags, 'column' | 'json'>) => preview(cli, table, flags));
}

const addColumnOption = (command: Command): Command =>
  command.option(
    '--column <name=meaning>',
    'a column of the table and its meaning: id, input, vars, attachments or vars.NAME; can be repeated, other columns are ignored',
    collectColumn,
  );

function collectColumn(text: string, before: Columns = {}): Columns {
  const at = text.lastIndexOf('=');
  if (at < 1) throw new InvalidArgumentError('Give NAME=MEANING, as in "Customer=input".');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

async function start(
  cli: Cli,
  named: string,
  table: string,
  { id, parallel, column, watch, json, ...flags }: StartFlags,
): Promise<void> {
  const rows = rowsIn(table);
  const { workflow, ...template } = await runTemplateOf(cli, named, flags);
  await withSession(cli, {}, async (session) => {
    const chosen = omitUndefined({ id, parallel, columns: column });
    const batch = await session.millrace.batches.start(workflow, { ...template, ...chosen, ...rows });
    cli.terminal.data(json ? JSON.stringify(batch, null, 2) : batch.id);
    const { invalid } = batch.rows;
    const wrong =
      invalid === 0 ? '' : ` ${invalid} of them are invalid: millrace batch rows ${batch.id} --status invalid`;
    cli.terminal.say(`${batch.total} rows, ${batch.parallel} at a time.${wrong}`);
    await reportMissingServers(session);
    if (watch) await watchBatch(session, batch.id);
  });
}

async function preview(cli: Cli, table: string, { column, json }: Pick<StartFlags, 'column' | 'json'>): Promise<void> {
  const content = readLocalFile(table);
  await withSession(cli, {}, async ({ millrace: { batches } }) => {
    const found = await batches.preview({ name: basename(table), content }, column);
    if (json) return cli.terminal.data(JSON.stringify(found, null, 2));
    cli.terminal.data(await previewText(found));
    for (const { row, problem } of found.problems) cli.terminal.say(`Row ${row}: ${problem}`);
    cli.terminal.say(`${found.total} rows, ${found.wrong} of them invalid. Nothing was started.`);
  });
}

async function previewText({ columns: read, rows }: TablePreview): Promise<string> {
  const { columns } = await import('../../output/columns.ts');
  return columns(
    ['ROW', ...read.map(({ name, to }) => `${name} → ${to ?? 'ignored'}`)],
    rows.map(({ row, cells }) => [String(row), ...read.map((_, at) => shortLine(cells[at] ?? ''))]),
  );
}

/** Returns a table as it is sent: CSV and XLSX as they are, JSON as rows. */
function rowsIn(path: string): Pick<BatchOptions, 'rows' | 'table'> {
  const content = readLocalFile(path);
  if (extname(path).toLowerCase() !== '.json') return { table: { name: basename(path), content } };
  const rows = parsed(path, content);
  if (Array.isArray(rows)) return { rows };
  throw fileInvalid(`${path} is not a list of rows, as in [{"id": "ann", "input": "Rain."}].`);
}

function parsed(path: string, content: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content));
  } catch {
    throw fileInvalid(`${path} is not JSON.`);
  }
}
