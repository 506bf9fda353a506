import { RequestError } from '@millrace/core';
import type { Batch, Batches, BatchLine } from '@millrace/runtime';
import { StartRun } from '../contracts/run.ts';
import type { Asking } from '../run-request.ts';
import { requestOf } from '../run-request.ts';
import type { RowWork } from './parsed-row.ts';
import type { RowNote } from './row-note.ts';
import { noteIn } from './row-note.ts';

/** What moving a batch on takes. */
export interface Advancing {
  readonly asking: Asking;
  readonly batches: Batches;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Rows moved in one go when a batch is cancelled. */
const atOnce = 200;
const startedAtOnce = 16;

/*
 * A row is started before it is moved to `running`: whoever dies in between leaves a row that waits and has a run, and
 * starting that run again changes nothing. Several processes may move a batch on at once; they start the same rows.
 */

/** Starts as many rows as may run now, or cancels what is left of a batch that was cancelled. */
export async function advance(advancing: Advancing, id: string): Promise<void> {
  const { rows } = advancing.batches;
  const batch = await opened(advancing, id);
  if (batch === undefined) return;
  if (batch.cancelledAt !== undefined) await cancelRest(advancing, batch);
  for (;;) {
    const startable = await rows.startable(id, batch.cancelledAt === undefined ? batch.parallel : 0);
    if (startable.length === 0) break;
    for (let from = 0; from < startable.length; from += startedAtOnce) {
      const lines = await rows.read(id, startable.slice(from, from + startedAtOnce));
      await Promise.all(lines.map((line) => startRow(advancing, batch, line)));
    }
  }
  await finish(advancing, id);
}

/** A batch that has something to be done; one that was finished is not any more when rows of it wait again. */
async function opened({ batches }: Advancing, id: string): Promise<Batch | undefined> {
  const batch = await batches.read(id);
  if (batch?.finishedAt === undefined) return batch;
  const { waiting } = await batches.rows.counts(id);
  return waiting === 0 ? undefined : batches.change(id, reopened);
}

/** The batch as one that goes on. */
export function reopened({ finishedAt, cancelledAt: _given, ...batch }: Batch): Batch | undefined {
  return finishedAt === undefined ? undefined : batch;
}

/** As in `batch_0192_17`; a row that is tried again without its run going on gets another one, as in `batch_0192_17_2`. */
export const runOfRow = (batch: string, row: number, attempt: number): string =>
  `${batch}_${row}${attempt === 1 ? '' : `_${attempt}`}`;

/** The rows that a run with this id may be of: the id of a batch may end in numbers, too. */
export function rowsOfRun(run: string): readonly { readonly batch: string; readonly row: number }[] {
  return [/^(.+)_(\d+)$/, /^(.+)_(\d+)_\d+$/].flatMap((form) => {
    const [, batch, row] = form.exec(run) ?? [];
    return batch === undefined ? [] : [{ batch, row: Number(row) }];
  });
}

async function startRow(advancing: Advancing, batch: Batch, line: BatchLine): Promise<void> {
  const { row } = line;
  const note = noteIn(line);
  const move = (to: 'running' | 'failed', next: RowNote) =>
    advancing.batches.rows.move(batch.id, { row, from: ['waiting'], to, note: JSON.stringify(next) });
  try {
    await move('running', { attempt: await beginRow(advancing, batch, line) });
    // It may have ended before it was moved.
    await settle(advancing, batch.id, row);
  } catch (error) {
    if (!(error instanceof RequestError) || passing.has(error.code)) throw error;
    await move('failed', { attempt: note.attempt, error: { code: error.code, message: error.message } });
  }
}

/** Sees to it that a row has a run that goes on, or one that has ended of itself; gives the number of the attempt. */
async function beginRow({ asking }: Advancing, batch: Batch, line: BatchLine): Promise<number> {
  const { attempt, again } = noteIn(line);
  const description = await asking.space.describe(runOfRow(batch.id, line.row, attempt));
  const status = description?.status;
  if (status === 'failed' && again === true) await asking.space.retry(runOfRow(batch.id, line.row, attempt));
  const isOver = again === true && (status === 'terminated' || status === 'cancelled');
  if (status !== undefined && !isOver) return attempt;
  const number = isOver ? attempt + 1 : attempt;
  await startRun(asking, { batch, line, run: runOfRow(batch.id, line.row, number) });
  return number;
}

interface RowRun {
  readonly batch: Batch;
  readonly line: BatchLine;
  readonly run: string;
}

async function startRun(asking: Asking, { batch, line, run }: RowRun): Promise<void> {
  const { input, vars, attachments = [] } = JSON.parse(line.json) as RowWork; // written when the batch was made
  const template = StartRun.parse(batch.run);
  const own = vars === undefined && template.vars === undefined ? {} : { vars: { ...template.vars, ...vars } };
  const request = await requestOf({ ...template, input, attachments: [...attachments], ...own }, asking);
  const tags = [...(request.tags ?? []), `batch:${batch.id}`];
  await asking.space.start({ ...request, tags, run, batch: { batch: batch.id, row: line.row } });
}

/** What goes by without anybody changing the row. */
const passing: ReadonlySet<string> = new Set(['REDIS_FULL', 'NOT_READY']);

/** Notes how the run of a row has ended, if it has. */
export async function settle(advancing: Advancing, id: string, row: number): Promise<void> {
  const { asking, batches } = advancing;
  const { rows } = batches;
  const [line] = await rows.read(id, [row]);
  if (line === undefined) return;
  const { attempt } = noteIn(line);
  const description = await asking.space.describe(runOfRow(id, row, attempt));
  if (description === undefined) return settleRemoved(advancing, id, line);
  const { status, error } = description;
  if (status !== 'completed' && status !== 'failed' && status !== 'cancelled' && status !== 'terminated') return;
  if (line.status === status) return;
  const why = error === undefined ? {} : { error: { code: error.code, message: error.message } };
  const note = JSON.stringify({ attempt, ...why } satisfies RowNote);
  // One that waits to be tried again has had its end.
  const from = ['running', 'failed', 'cancelled', 'terminated'] as const;
  await rows.move(id, { row, from: from.filter((other) => other !== status), to: status, note });
}

/** A row at work has a run; where there is none any more, it had ended and was removed before anybody noted how. */
async function settleRemoved({ batches }: Advancing, id: string, line: BatchLine): Promise<void> {
  if (line.status !== 'running') return;
  const { row } = line;
  const { attempt } = noteIn(line);
  const message = `The run ${runOfRow(id, row, attempt)} was removed before it was noted how it ended.`;
  const note = JSON.stringify({ attempt, error: { code: 'RUN_UNKNOWN', message } } satisfies RowNote);
  const to = (await batches.read(id))?.cancelledAt === undefined ? 'failed' : 'cancelled';
  await batches.rows.move(id, { row, from: ['running'], to, note });
}

/** Notes which rows at work have ended: what a notice tells, for those of which there is none any more. */
export async function settleRunning(advancing: Advancing, id: string): Promise<void> {
  const { rows } = advancing.batches;
  for (let after = 0; ; ) {
    const running = await rows.page(id, 'running', { after, limit: startedAtOnce });
    await Promise.all(running.map((row) => settle(advancing, id, row)));
    after = running.at(-1) ?? after;
    if (running.length < startedAtOnce) return;
  }
}

async function cancelRest({ asking, batches: { rows } }: Advancing, { id }: Batch): Promise<void> {
  for (;;) {
    const waiting = await rows.page(id, 'waiting', { after: 0, limit: atOnce });
    if (waiting.length === 0) break;
    await Promise.all(waiting.map((row) => rows.move(id, { row, from: ['waiting'], to: 'cancelled' })));
  }
  for (let after = 0; ; ) {
    const running = await rows.read(id, await rows.page(id, 'running', { after, limit: atOnce }));
    for (const line of running) await cancelRun(asking, runOfRow(id, line.row, noteIn(line).attempt));
    after = running.at(-1)?.row ?? after;
    if (running.length < atOnce) return;
  }
}

async function cancelRun({ space }: Asking, run: string): Promise<void> {
  try {
    await space.cancel(run, 'Its batch was cancelled.');
  } catch (error) {
    // It has ended meanwhile.
    if (!(error instanceof RequestError)) throw error;
  }
}

async function finish({ now, batches }: Advancing, id: string): Promise<void> {
  const { waiting, running } = await batches.rows.counts(id);
  if (waiting + running > 0) return;
  await batches.change(id, (batch) => (batch.finishedAt === undefined ? { ...batch, finishedAt: now() } : undefined));
}
