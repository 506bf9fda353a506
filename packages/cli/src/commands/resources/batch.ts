import type { Command } from 'commander';
import { Option } from 'commander';
import { parseCount } from '../../options/count-argument.ts';
import type { Cli } from '../../process/cli.ts';
import type { RunTemplateFlags } from '../../requests/run-template.ts';
import { addRunTemplateOptions } from '../../requests/run-template.ts';

interface StartFlags extends RunTemplateFlags {
  readonly id?: string;
  readonly parallel?: number;
  readonly json?: boolean;
}

interface RowsFlags {
  readonly status?: (typeof statuses)[number];
  readonly limit: number;
  readonly json?: boolean;
}

const statuses = ['invalid', 'waiting', 'running', 'completed', 'failed', 'cancelled', 'terminated'] as const;

/** `millrace batch`: a run for each row of a table. */
export function addBatch(program: Command, cli: Cli): void {
  const batch = program.command('batch').description('a run for each row of a table, so many at a time');
  addRunTemplateOptions(batch.command('start'))
    .description('start a run of a workflow for each row of a table')
    .argument('<file|name>', 'the workflow: a file, or a published one as NAME or NAME@HASH')
    .argument('<table>', 'a .csv or .xlsx file with a header (id, input, vars, attachments), or a .json list of rows')
    .option('--id <id>', 'an id of your own: making it again makes no other')
    .option('--parallel <n>', 'rows at work at a time (default: 10)', parseCount)
    .option('--json', 'print {id, total, rows, …}')
    .action(async (named: string, table: string, flags: StartFlags) => {
      const { startBatch } = await import('../../resources/batches.ts');
      await startBatch(cli, { named, table, ...flags });
    });
  addLooks(batch, cli);
  addOrders(batch, cli);
}

function addLooks(batch: Command, cli: Cli): void {
  batch
    .command('list')
    .description('list batches, newest first')
    .option('--limit <n>', 'at most this many', parseCount, 20)
    .option('--json', 'print a JSON array')
    .action(async (flags: { limit: number; json?: boolean }) => {
      const { listBatches } = await import('../../resources/batches.ts');
      await listBatches(cli, flags);
    });
  batch
    .command('rows')
    .description('list the rows of a batch, in their order')
    .argument('<id>', 'the batch')
    .addOption(new Option('--status <status>', 'those that stand so').choices([...statuses]))
    .option('--limit <n>', 'at most this many', parseCount, 1000)
    .option('--json', 'print a JSON array')
    .action(async (id: string, flags: RowsFlags) => {
      const { listRows } = await import('../../resources/batches.ts');
      await listRows(cli, { id, ...flags });
    });
}

const orders = [
  { name: 'get', order: 'get', description: 'print how many rows of a batch have each status' },
  { name: 'retry', order: 'retryFailed', description: 'go on with the rows that have failed or were terminated' },
  { name: 'cancel', order: 'cancel', description: 'start no more rows of a batch, and cancel those at work' },
] as const;

function addOrders(batch: Command, cli: Cli): void {
  for (const { name, order, description } of orders) {
    batch
      .command(name)
      .description(description)
      .argument('<id>', 'the batch')
      .option('--json', 'print {id, status, rows, …}')
      .action(async (id: string, { json }: { json?: boolean }) => {
        const { orderBatch } = await import('../../resources/batches.ts');
        await orderBatch(cli, { id, order, json: json === true });
      });
  }
  batch
    .command('rm')
    .description('forget a batch that is finished; its runs stay')
    .argument('<id>', 'the batch')
    .option('--json', 'print {id, status, …}')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { removeBatch } = await import('../../resources/batches.ts');
      await removeBatch(cli, id, json === true);
    });
}
