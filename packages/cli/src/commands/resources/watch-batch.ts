import { setTimeout as sleep } from 'node:timers/promises';
import type { Batch } from '@millrace/client';
import type { Session } from '../../client/session.ts';
import { exitCodes } from '../../exit/exit.ts';
import type { Cli } from '../../process/cli.ts';
import { aborted, interruption } from '../../process/interruption.ts';

/** Interval of the requests for the progress, in milliseconds. */
const everyMs = 500;

/** Follows a batch with a progress bar until all of its rows have ended; Ctrl-C leaves it to continue. */
export async function watchBatch({ cli, millrace }: Session, id: string): Promise<Batch> {
  const { signal, dispose } = await interruption(cli, exitCodes.interrupted);
  const stopped = aborted(signal);
  const show = progressPrinter(cli);
  for (;;) {
    const batch = await millrace.batches.get(id);
    const ended = batch.status === 'finished' || batch.status === 'cancelled';
    show(batch, ended);
    if (ended || signal.aborted) {
      dispose();
      reportEnd(cli, batch, ended);
      return batch;
    }
    await Promise.race([sleep(everyMs), stopped]);
  }
}

/** Overwrites the progress on a terminal; elsewhere, prints a line whenever it has changed. */
function progressPrinter({ terminal }: Cli): (batch: Batch, ended: boolean) => void {
  let shown = '';
  return (batch, ended) => {
    const line = batchProgress(batch);
    if (terminal.status !== undefined && !ended) terminal.status(line);
    else if (line !== shown) terminal.say(line);
    shown = terminal.status === undefined ? line : '';
  };
}

function reportEnd(cli: Cli, { id, rows }: Batch, ended: boolean): void {
  if (ended) {
    if (rows.failed + rows.invalid > 0) cli.exit = exitCodes.failed;
    return;
  }
  cli.exit = exitCodes.interrupted;
  cli.terminal.say(`The batch continues. Follow it with: millrace batch get ${id} --watch`);
}

const width = 30;

/** Returns a progress bar of a batch with the number of rows of each status, as one line. */
export function batchProgress({ total, rows }: Pick<Batch, 'total' | 'rows'>): string {
  const done = total - rows.waiting - rows.running;
  const filled = total === 0 ? width : Math.floor((done / total) * width);
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}]`;
  const counts = Object.entries(rows).flatMap(([status, count]) => (count === 0 ? [] : [`${count} ${status}`]));
  return [`${bar} ${done}/${total} rows`, ...counts].join(', ');
}
