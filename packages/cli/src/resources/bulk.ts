import type { BulkOrder } from '@millrace/client';
import { omitUndefined } from '@millrace/core/omit-undefined';
import { reportMissingServers, withSession } from '../client/session.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { columns } from '../output/tables/columns.ts';
import type { Cli } from '../process/cli.ts';
import { first } from '../requests/first.ts';

/** Filter of runs, and the order to them. */
export interface BulkFlags {
  readonly workflow?: string;
  readonly tag?: string;
  readonly status?: BulkStatus;
  /** Milliseconds since 1970, or an ISO time. */
  readonly since?: string;
  readonly until?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

/** Statuses of runs that take orders. */
export type BulkStatus = 'running' | 'waiting' | 'paused' | 'stopping' | 'failed';

/** Asks something of many runs. */
export async function startBulkOrder(
  cli: Cli,
  action: 'cancel' | 'retry',
  { reason, json, ...filter }: BulkFlags,
): Promise<void> {
  if (Object.keys(filter).length === 0) {
    throw new CommandError(exitCodes.invalid, 'Select the runs with --workflow, --tag, --status, --since or --until.');
  }
  await withSession(cli, {}, async (session) => {
    const { bulk } = session.millrace;
    const order = await bulk.give(omitUndefined({ action, filter, reason }));
    cli.terminal.data(json === true ? JSON.stringify(order, null, 2) : order.id);
    cli.terminal.say(`Show the progress with: millrace bulk get ${order.id}`);
    await reportMissingServers(session);
  });
}

/** Prints the progress. */
export async function showBulk(cli: Cli, id: string, json: boolean): Promise<void> {
  await withSession(cli, {}, async ({ millrace: { bulk } }) => {
    const order = await bulk.get(id);
    cli.terminal.data(json ? JSON.stringify(order, null, 2) : table([order]));
  });
}

/** Prints bulk orders, newest first. */
export async function listBulk(cli: Cli, { limit, json }: { limit: number; json?: boolean }): Promise<void> {
  await withSession(cli, {}, async ({ millrace: { bulk } }) => {
    const orders = await first(limit, bulk.list());
    if (json === true) cli.terminal.data(JSON.stringify(orders, null, 2));
    else if (orders.length === 0)
      cli.terminal.say('No bulk order was given in the last week: millrace bulk cancel --tag TAG');
    else cli.terminal.data(table(orders));
  });
}

const table = (orders: readonly BulkOrder[]): string =>
  columns(
    ['ORDER', 'ACTION', 'STATUS', 'DONE', 'LEFT', 'CREATED'],
    orders.map(({ id, action, status, done, left, createdAt }) => [
      id,
      action,
      status,
      String(done),
      String(left),
      new Date(createdAt).toISOString(),
    ]),
  );
