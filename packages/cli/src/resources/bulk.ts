import type { BulkOrder } from '@millrace/client';
import { omitUndefined } from '@millrace/core/omit-undefined';
import { sayWhenNoServer, withSession } from '../client/session.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { columns } from '../output/tables/columns.ts';
import type { Cli } from '../process/cli.ts';

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
export async function giveBulk(
  cli: Cli,
  action: 'cancel' | 'retry',
  { reason, json, ...filter }: BulkFlags,
): Promise<void> {
  if (Object.keys(filter).length === 0) {
    throw new CommandError(exitCodes.invalid, 'Say which runs: --workflow, --tag, --status, --since or --until.');
  }
  await withSession(cli, {}, async (session) => {
    const { bulk } = session.millrace;
    const order = await bulk.give(omitUndefined({ action, filter, reason }));
    cli.terminal.data(json === true ? JSON.stringify(order, null, 2) : order.id);
    cli.terminal.say(`How far it has come: millrace bulk get ${order.id}`);
    await sayWhenNoServer(session);
  });
}

/** Prints how far it has come. */
export async function showBulk(cli: Cli, id: string, json: boolean): Promise<void> {
  await withSession(cli, {}, async ({ millrace: { bulk } }) => {
    const order = await bulk.get(id);
    cli.terminal.data(json ? JSON.stringify(order, null, 2) : table(order));
  });
}

const table = ({ id, action, status, done, left }: BulkOrder): string =>
  columns(['ORDER', 'ACTION', 'STATUS', 'DONE', 'LEFT'], [[id, action, status, String(done), String(left)]]);
