import type { RowNote, RowWork, StartContext } from '@millrace/api';
import { reopened, rowNoteOf, StartRun, startRequestOf } from '@millrace/api';
import { batchTag, isEnded, omitUndefined, RequestError, usageFields } from '@millrace/core';
import type { Batch, Batches, BatchLine, RowUsage, RunDescription } from '@millrace/runtime';
import { isTransient } from '../../context/transient.ts';
import { isOfRow, runOfRow } from './run-of-row.ts';

/** Context in which a batch is advanced. */
export interface AdvanceOptions {
  readonly start: StartContext;
  readonly batches: Batches;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Number of rows that are moved in one call when a batch is cancelled. */
const cancelPageSize = 200;
const startPageSize = 16;

/*
 * A row is started before it is moved to `running`: a process that dies in between leaves a waiting row that has a run,
 * and starting that run again changes nothing. Several processes may advance a batch at once; they start the same rows.
 */

/** Starts as many rows as may run now, or cancels the remaining rows of a batch that was cancelled. */
export async function advance(context: AdvanceOptions, id: string): Promise<void> {
  const { rows } = context.batches;
  const batch = await opened(context, id);
  if (batch === undefined) return;
  if (batch.cancelledAt !== undefined) await cancelRest(context, batch);
  for (;;) {
    const startable = await rows.startable(batch, batch.cancelledAt === undefined ? batch.parallel : 0);
    if (startable.length === 0) break;
    for (let from = 0; from < startable.length; from += startPageSize) {
      const lines = await rows.read(batch, startable.slice(from, from + startPageSize));
      await Promise.all(lines.map((line) => startRow(context, batch, line)));
    }
  }
  await finish(context, batch);
}

/** Returns a batch that has work left; a finished batch has work again when rows of it are retried. */
async function opened({ batches }: AdvanceOptions, id: string): Promise<Batch | undefined> {
  const batch = await batches.read(id);
  if (batch?.finishedAt === undefined) return batch;
  const { waiting } = await batches.rows.counts(batch);
  return waiting === 0 ? undefined : batches.change(id, reopened);
}

async function startRow(context: AdvanceOptions, batch: Batch, line: BatchLine): Promise<void> {
  const { rows } = context.batches;
  const { row } = line;
  const move = (to: 'running' | 'failed', next: RowNote) =>
    rows.move(batch, { row, from: ['waiting'], to, note: JSON.stringify(next) });
  try {
    const begun = await assignRun(context, batch, line);
    if (begun === undefined) return;
    // The run may have ended before the row was moved.
    if (await move('running', begun)) return await settle(context, batch, row);
    const [now] = await rows.read(batch, [row]);
    if (now?.status === 'cancelled') await cancelRun(context.start, begun.run);
  } catch (error) {
    if (!(error instanceof RequestError) || isTransient(error)) throw error;
    const { again: _over, ...note } = rowNoteOf(line);
    await move('failed', { ...note, error: { code: error.code, message: error.message } });
  }
}

type AssignedRun = RowNote & { readonly run: string };

/**
 * Makes sure that a row has a run that continues, or one that has ended by itself; undefined if the row no longer
 * waits.
 */
async function assignRun(context: AdvanceOptions, batch: Batch, line: BatchLine): Promise<AssignedRun | undefined> {
  const { start: asking, batches } = context;
  const { row } = line;
  const { attempt, again, run: before, usage } = rowNoteOf(line);
  const run = runOfRow(batch, row, attempt);
  const found = await asking.tenant.run(run).describe();
  if (found === undefined) await startRun(asking, { batch, line, run });
  else if (!isOfRow(found, batch, row) || (again === true && isOver(found))) {
    // Written before the run starts, so that a process after a crash finds the same attempt, whatever is removed
    // meanwhile.
    const next = JSON.stringify(omitUndefined({ attempt: attempt + 1, run: before }));
    const isNoted = await batches.rows.move(batch, { row, from: ['waiting'], to: 'waiting', note: next });
    return isNoted ? assignRun(context, batch, { ...line, note: next }) : undefined;
  } else if (again === true && found.status === 'failed') await asking.tenant.run(run).control('retry');
  return { attempt, run, ...(before === run && usage !== undefined ? { usage } : {}) };
}

const isOver = ({ status }: RunDescription): boolean => status === 'terminated' || status === 'cancelled';

interface RowRun {
  readonly batch: Batch;
  readonly line: BatchLine;
  readonly run: string;
}

async function startRun(asking: StartContext, { batch, line, run }: RowRun): Promise<void> {
  const { input, vars, attachments = [] } = JSON.parse(line.json) as RowWork; // written when the batch was made
  const template = StartRun.parse(batch.run);
  const own = vars === undefined && template.vars === undefined ? {} : { vars: { ...template.vars, ...vars } };
  const request = await startRequestOf({ ...template, input, attachments: [...attachments], ...own }, asking);
  const tags = [...(request.tags ?? []), batchTag(batch.id)];
  await asking.tenant.start({ ...request, tags, run, batch: { batch: batch.id, making: batch.making, row: line.row } });
}

/** Records the end of a row's run, and what it has used since its last end, if it has ended. */
export async function settle(context: AdvanceOptions, batch: Batch, row: number): Promise<void> {
  const { rows } = context.batches;
  for (let seen: string | undefined; ; ) {
    const [line] = await rows.read(batch, [row]);
    if (line === undefined || line.note === undefined || line.note === seen) return;
    if (await settleLine(context, batch, line)) return;
    // Another process has changed the row meanwhile, or it waits.
    seen = line.note;
  }
}

/** Records the end of a row's run for a row as it was read; false if the row has changed since. */
async function settleLine({ start: asking, batches }: AdvanceOptions, batch: Batch, line: BatchLine): Promise<boolean> {
  const { attempt, run, usage: recorded } = rowNoteOf(line);
  if (run === undefined) return true;
  const found = await asking.tenant.run(run).describe('head');
  if (found === undefined || !isOfRow(found, batch, line.row)) {
    return settleAbsent(batches, batch, line);
  }
  const { status, error, usage } = found;
  if (status !== 'completed' && status !== 'failed' && status !== 'cancelled' && status !== 'terminated') return true;
  const spent = spentBetween(recorded, usage);
  if (line.status === status && Object.keys(spent).length === 0) return true;
  const why = error === undefined ? {} : { error: { code: error.code, message: error.message } };
  const note = JSON.stringify({ attempt, run, usage: rowUsageOf(usage), ...why } satisfies RowNote);
  // A row that waits to be retried has already recorded its end. What was recorded meanwhile must not count twice.
  const from = ['running', 'failed', 'cancelled', 'terminated'] as const;
  return batches.rows.move(batch, { row: line.row, from, to: status, note, spent, before: line.note ?? '' });
}

/**
 * Records a run that does not exist any more; false if the row has changed. The row of a run that was removed before its
 * end was recorded has failed. Any other run was lost by the store, in a failover or because a backup was restored: its row
 * waits again, and starts the same run, whose id derives from the row.
 */
async function settleAbsent(batches: Batches, batch: Batch, line: BatchLine): Promise<boolean> {
  if (line.status !== 'running') return true;
  const isCancelled = (await batches.read(batch.id))?.cancelledAt !== undefined;
  const { removed, ...note } = rowNoteOf(line);
  const message = `The run ${note.run} was removed before its end was recorded.`;
  const failed: RowNote = { ...note, error: { code: 'RUN_UNKNOWN', message } };
  const again: RowNote = { attempt: note.attempt };
  const isLost = removed !== true && !isCancelled;
  return batches.rows.move(batch, {
    row: line.row,
    from: ['running'],
    to: isCancelled ? 'cancelled' : isLost ? 'waiting' : 'failed',
    note: JSON.stringify(isLost ? again : failed),
    before: line.note ?? '',
  });
}

/** Records the ends of running rows, for which no outbox entry may exist any more. */
export async function settleRunning(context: AdvanceOptions, id: string): Promise<void> {
  const { batches } = context;
  const batch = await batches.read(id);
  for (let after = 0; batch !== undefined; ) {
    const running = await batches.rows.page(batch, 'running', { after, limit: startPageSize });
    await Promise.all(running.map((row) => settle(context, batch, row)));
    after = running.at(-1) ?? after;
    if (running.length < startPageSize) return;
  }
}

async function cancelRest(context: AdvanceOptions, batch: Batch): Promise<void> {
  const { rows } = context.batches;
  for (;;) {
    const waiting = await rows.read(batch, await rows.page(batch, 'waiting', { after: 0, limit: cancelPageSize }));
    if (waiting.length === 0) break;
    await Promise.all(waiting.map((line) => cancelWaiting(context, batch, line)));
  }
  for (let after = 0; ; ) {
    const running = await rows.read(batch, await rows.page(batch, 'running', { after, limit: cancelPageSize }));
    for (const line of running) await cancelRun(context.start, rowNoteOf(line).run);
    after = running.at(-1)?.row ?? after;
    if (running.length < cancelPageSize) return;
  }
}

/** Cancels a waiting row. After a crash, it may have a run; it is then running, and cancelled with the running rows. */
async function cancelWaiting(context: AdvanceOptions, batch: Batch, line: BatchLine): Promise<void> {
  const { start: asking, batches } = context;
  const { row } = line;
  const { attempt, again, run: before, usage } = rowNoteOf(line);
  const run = runOfRow(batch, row, attempt);
  const found = await asking.tenant.run(run).describe();
  const isBegun = found !== undefined && isOfRow(found, batch, row) && (again !== true || !isEnded(found.status));
  const used = before === run && usage !== undefined ? { usage } : {};
  const note = JSON.stringify({ attempt, run, ...used } satisfies RowNote);
  await batches.rows.move(batch, {
    row,
    from: ['waiting'],
    ...(isBegun ? { to: 'running', note } : { to: 'cancelled' }),
  });
  if (isBegun) await settle(context, batch, row);
}

async function cancelRun({ tenant }: StartContext, run: string | undefined): Promise<void> {
  if (run === undefined) return;
  try {
    await tenant.run(run).cancel('Its batch was cancelled.');
  } catch (error) {
    // The run has ended meanwhile.
    if (!(error instanceof RequestError)) throw error;
  }
}

async function finish({ now, batches }: AdvanceOptions, batch: Batch): Promise<void> {
  const { waiting, running } = await batches.rows.counts(batch);
  if (waiting + running > 0) return;
  await batches.change(batch.id, (found) =>
    found.finishedAt === undefined && found.making === batch.making ? { ...found, finishedAt: now() } : undefined,
  );
}

/** Returns the usage of a run as rows keep it. */
const rowUsageOf = (usage: RunDescription['usage']): RowUsage => amounts((name) => usage[name]);

/** Returns what a run has used since its usage was recorded; absent: it never was. */
const spentBetween = (recorded: RowUsage = {}, usage: RunDescription['usage']): RowUsage => {
  const now = rowUsageOf(usage);
  return amounts((name) => (now[name] ?? 0) - (recorded[name] ?? 0));
};

/** Returns the amounts that are not zero, in whole numbers. */
const amounts = (amountOf: (name: keyof RowUsage) => number | undefined): RowUsage =>
  Object.fromEntries(
    usageFields.map((name) => [name, Math.round(amountOf(name) ?? 0)] as const).filter(([, amount]) => amount !== 0),
  );
