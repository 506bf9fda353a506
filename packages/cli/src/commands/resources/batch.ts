import type { Batch } from '@millrace/client';
import { batchResultLine, batchResultsHead } from '@millrace/core/csv';
import type { Command } from 'commander';
import { Option } from 'commander';
import { reportMissingServers, withSession } from '../../client/session.ts';
import { parseCount } from '../../options/arguments.ts';
import { printList } from '../../output/print-list.ts';
import type { Cli } from '../../process/cli.ts';
import { first } from '../../requests/pages.ts';
import { addBatchStart } from './start-batch.ts';
import { watchBatch } from './watch-batch.ts';

/** `millrace batch`: starts and manages batches, which run a workflow for each row of a table. */
export function addBatch(program: Command, cli: Cli): void {
  const batch = program
    .command('batch')
    .description('start and manage runs for the rows of a table')
    .addHelpText('after', '\nExample:\n  millrace batch start poem people.csv --parallel 5 --watch');
  addBatchStart(batch, cli);
  addLists(batch, cli);
  addChanges(batch, cli);
}

const statuses = ['invalid', 'waiting', 'running', 'completed', 'failed', 'cancelled', 'terminated'] as const;

interface RowsFlags {
  readonly status?: (typeof statuses)[number];
  readonly limit: number;
  readonly json?: boolean;
}

function addLists(batch: Command, cli: Cli): void {
  batch
    .command('list')
    .description('list batches, newest first')
    .addHelpText('after', '\nExample:\n  millrace batch list')
    .option('--limit <n>', 'maximum number of entries', parseCount, 20)
    .option('--json', 'print a JSON array')
    .action(({ limit, json }: { limit: number; json?: boolean }) =>
      withSession(cli, {}, async ({ millrace: { batches } }) =>
        printList(cli.terminal, await first(limit, batches.list()), {
          json,
          empty: 'There are no batches yet: millrace batch start WORKFLOW TABLE',
          head: ['BATCH', 'WORKFLOW', 'STATUS', 'ROWS', 'PARALLEL', 'CREATED'],
          row: ({ id, workflow, status, total, parallel, createdAt }) => [
            id,
            workflow ?? '',
            status,
            String(total),
            String(parallel),
            new Date(createdAt).toISOString(),
          ],
        }),
      ),
    );
  batch
    .command('rows')
    .description('list the rows of a batch, in their order')
    .addHelpText('after', '\nExample:\n  millrace batch rows letters --status failed')
    .argument('<id>', 'the batch')
    .addOption(new Option('--status <status>', 'entries with this status').choices([...statuses]))
    .option('--limit <n>', 'maximum number of entries', parseCount, 1000)
    .option('--json', 'print a JSON array')
    .action((id: string, { limit, json, ...query }: RowsFlags) =>
      withSession(cli, {}, async ({ millrace: { batches } }) =>
        printList(cli.terminal, await first(limit, batches.rows(id, query)), {
          json,
          empty: 'No rows match.',
          head: ['ROW', 'ID', 'STATUS', 'RUN', 'ERROR'],
          row: ({ row, id: rowId = '', status, runId = '', error }) => [
            String(row),
            rowId,
            status,
            runId,
            error === undefined ? '' : `${error.message.split('\n', 1)[0]} [${error.code}]`,
          ],
        }),
      ),
    );
}

const changes = [
  { name: 'get', change: 'get', description: 'print how many rows of a batch have each status' },
  { name: 'retry', change: 'retryFailed', description: 'retry the rows that have failed or were terminated' },
  { name: 'cancel', change: 'cancel', description: 'start no more rows of a batch, and cancel its executing runs' },
] as const;

interface ChangeFlags {
  readonly watch?: boolean;
  /** Of a retry: only this row. */
  readonly row?: number;
  readonly json?: boolean;
}

function addChanges(batch: Command, cli: Cli): void {
  addResults(batch, cli);
  for (const { name, change, description } of changes) {
    const command = batch
      .command(name)
      .description(description)
      .addHelpText('after', `\nExample:\n  millrace batch ${name} letters`)
      .argument('<id>', 'the batch')
      .option('--watch', 'follow the batch with a progress bar until all rows have ended')
      .option('--json', 'print {id, status, rows, …}')
      .action((id: string, { json, watch, row }: ChangeFlags) =>
        withSession(cli, {}, async (session) => {
          const { batches } = session.millrace;
          const changed = row === undefined ? await batches[change](id) : await batches.retryRow(id, row);
          await printBatch(cli, watch ? await watchBatch(session, id) : changed, json);
          if (change !== 'get') await reportMissingServers(session);
        }),
      );
    if (name === 'retry') command.option('--row <n>', 'only this row', parseCount);
  }
  batch
    .command('rm')
    .description('remove a finished batch; its runs remain')
    .addHelpText('after', '\nExample:\n  millrace batch rm letters')
    .argument('<id>', 'the batch')
    .option('--json', 'print {id, status, …}')
    .action((id: string, { json }: { json?: boolean }) =>
      withSession(cli, {}, async ({ millrace: { batches } }) => {
        const removed = await batches.remove(id);
        if (json) cli.terminal.data(JSON.stringify(removed, null, 2));
        else cli.terminal.say(`The batch ${id} was removed; its runs remain.`);
      }),
    );
}

const printBatch = ({ terminal }: Cli, batch: Batch, json: boolean | undefined): Promise<void> | void =>
  json
    ? terminal.data(JSON.stringify(batch, null, 2))
    : printList(terminal, [batch], {
        json,
        empty: '',
        head: ['BATCH', 'STATUS', 'ROWS', ...Object.keys(batch.rows).map((name) => name.toUpperCase())],
        row: ({ id, status, total, rows }) => [id, status, String(total), ...Object.values(rows).map(String)],
      });

function addResults(batch: Command, cli: Cli): void {
  batch
    .command('results')
    .description('print the inputs and outputs of the rows of a batch as CSV')
    .addHelpText('after', '\nExample:\n  millrace batch results letters > letters.csv')
    .argument('<id>', 'the batch')
    .addOption(new Option('--status <status>', 'entries with this status').choices([...statuses]))
    .option('--limit <n>', 'maximum number of entries', parseCount, 50_000)
    .option('--json', 'print a JSON array')
    .action((id: string, { limit, json, ...query }: RowsFlags) =>
      withSession(cli, {}, async ({ millrace: { batches } }) => {
        const rows = await first(limit, batches.results(id, query));
        const table = () => [batchResultsHead, ...rows.map(batchResultLine)].join('\r\n');
        cli.terminal.data(json ? JSON.stringify(rows, null, 2) : table());
      }),
    );
}
