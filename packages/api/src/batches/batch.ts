import type { RowStatus as Status } from '@millrace/core';
import { noModelUsage, omitUndefined, rowStatuses } from '@millrace/core';
import { ModelUsage } from '@millrace/core/schemas';
import type { BatchLine, RowUsage, Batch as Stored, BatchLine as StoredRow } from '@millrace/runtime';
import { z } from 'zod';
import { PageLimit, pageOf } from '../schemas/page.ts';
import type { ParsedRow, RowWork } from '../schemas/parsed-row.ts';
import { StartRun } from '../schemas/runs/run.ts';

/** Meaning of a column of a table: a field of the row, or `vars.NAME` for one variable. */
const ColumnTarget = z
  .string()
  .max(200)
  .regex(/^(?:id|input|vars|attachments|vars\.[A-Za-z_]\w*)$/, 'must be id, input, vars, attachments or vars.NAME')
  .describe('`id`, `input`, `vars`, `attachments`, or `vars.NAME` for the variable NAME.');

/** Meanings of columns whose names are not the standard ones. */
export const RowColumns = z
  .record(z.string().max(1000), ColumnTarget)
  .refine((columns) => Object.values(columns).includes('input'), 'must name the column with the input')
  .refine(
    (columns) => new Set(Object.values(columns)).size === Object.keys(columns).length,
    'must name each field once',
  )
  .describe(
    'For a table: the meaning of its columns by their names; the others are ignored. Absent: their names say it.',
  );
/** Input of the schema RowColumns. */
export type RowColumns = z.infer<typeof RowColumns>;

/** Schema of the fields beside a table in a preview. */
export const NewPreview = z
  .strictObject({
    columns: z
      .record(z.string().max(1000), ColumnTarget)
      .optional()
      .describe('Meaning of its columns by their names; absent: as their names say it.'),
  })
  .meta({ id: 'NewPreview' });
export type NewPreview = z.infer<typeof NewPreview>;

/** Preview of a table. */
export const TablePreview = z
  .object({
    columns: z.array(
      z.object({
        name: z.string().describe('As the first line of the table has it.'),
        to: z.string().nullable().describe('Its meaning; null: it is ignored.'),
      }),
    ),
    total: z.number().int().describe('Rows.'),
    wrong: z.number().int().describe('Rows that cannot start a run.'),
    rows: z
      .array(
        z.object({
          row: z.number().int(),
          cells: z.array(z.string()).describe('As they were read, each at most 200 characters.'),
          problem: z.string().optional().describe('Reason why it cannot start a run.'),
        }),
      )
      .describe('The first 20 rows.'),
    problems: z
      .array(z.object({ row: z.number().int(), problem: z.string() }))
      .describe('The first 100 rows that cannot start a run.'),
  })
  .meta({ id: 'TablePreview' });
/** TablePreview as responses have it. */
export type TablePreview = z.output<typeof TablePreview>;

const BatchId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,50}$/, 'may hold letters, digits, _ and -, up to 50 of them')
  .describe('Letters, digits, _ and -.');
const RowStatus = z.enum(rowStatuses).describe('invalid: the row cannot start a run.');

/** Schema of a new batch, in JSON. */
export const NewBatch = StartRun.omit({ runId: true, input: true, attachments: true, ttlSeconds: true })
  .extend({
    tags: StartRun.shape.tags.unwrap().max(19).default([]),
    id: BatchId.optional().describe('Two requests with the same id make one batch.'),
    parallel: z.int().min(1).max(1000).default(10).describe('Maximum number of rows in progress.'),
    rows: z
      .array(z.record(z.string(), z.unknown()))
      .max(50_000)
      .default([])
      .describe(
        'Each has `input` (or `task`), and may have `id`, `vars` and `attachments`. Rows that are wrong are reported, not refused.',
      ),
    columns: RowColumns.optional(),
  })
  .meta({ id: 'NewBatch' });
export type NewBatch = z.infer<typeof NewBatch>;

const Beside = z.string().max(100_000).optional();

/** Query of a new batch whose body is a table. */
export const TableQuery = z
  .strictObject({
    workflow: Beside.describe('NAME, or NAME@HASH.'),
    id: Beside,
    parallel: Beside,
    compat: Beside,
    vars: Beside.describe('JSON.'),
    tags: Beside.describe('JSON.'),
    budget: Beside.describe('JSON.'),
    timeoutSeconds: Beside,
    priority: Beside,
    webhook: Beside.describe('JSON.'),
    columns: Beside.describe('JSON.'),
  })
  .describe('For bodies that are a table only.');

/** A batch. */
const batch = {
  id: BatchId,
  workflow: z
    .string()
    .nullable()
    .describe('The published workflow that the request names; null when the request contains the workflow.'),
  parallel: z.number().int(),
  total: z.number().int().describe('Rows.'),
  status: z.enum(['running', 'cancelling', 'finished', 'cancelled']),
  createdAt: z.number().describe('Milliseconds since 1970.'),
  finishedAt: z.number().optional().describe('Time at which the last row was done, in milliseconds since 1970.'),
};

/** A batch, and the numbers of its rows by status. */
export const Batch = z
  .object({
    ...batch,
    rows: z.record(RowStatus, z.number().int()).describe('Number of rows with each status.'),
    usage: ModelUsage.describe('Of the rows whose runs have ended, earlier attempts included.'),
  })
  .meta({ id: 'Batch' });
/** Batch as responses have it. */
export type Batch = z.output<typeof Batch>;

/** A row of a batch. */
export const BatchRow = z
  .object({
    row: z.number().int().describe('From 1, the header of a table not counted.'),
    id: z.string().optional().describe('Id of the row, as its author chose it.'),
    status: RowStatus,
    title: z.string().optional().describe('First line of its input, at most 120 characters; absent without text.'),
    runId: z.string().optional().describe('Absent until there is one.'),
    error: z.object({ code: z.string(), message: z.string() }).optional().describe('Reason of the failure.'),
    usage: ModelUsage.optional().describe('Of its run; absent until it has ended.'),
    input: z.string().optional().describe('Only with `results`.'),
    vars: z.record(z.string(), z.unknown()).optional().describe('Only with `results`.'),
    output: z
      .string()
      .nullable()
      .optional()
      .describe('Text of the final output of its run; null when there is none. Only with `results`.'),
  })
  .meta({ id: 'BatchRow' });
/** BatchRow as responses have it. */
export type BatchRow = z.output<typeof BatchRow>;

/** One row in a path. */
export const BatchRowPath = z.object({ id: BatchId, row: z.coerce.number<number | string>().int().min(1) });

/** One batch in a path. */
export const BatchPath = z.object({ id: BatchId });

/** Query for a page of batches. */
export const BatchListQuery = z.object({ limit: PageLimit, cursor: BatchId.optional() });

/** A page of batches. */
export const BatchList = pageOf(Batch);

/** Query for a page of rows. */
export const BatchRowQuery = z.object({
  limit: PageLimit,
  cursor: z.coerce.number<number | string>().int().min(0).default(0),
  status: RowStatus.optional(),
  results: z.literal('true').optional().describe('Adds `input`, `vars` and `output` to each row.'),
});
/** A page of rows, in their order. */
export const BatchRowList = pageOf(BatchRow);

/** Numbers of a batch beside its record. */
interface BatchCounts {
  readonly rows: Readonly<Record<Status, number>>;
  readonly usage: RowUsage;
}

/** A batch as the API shows it. */
export function batchOf(batch: Stored, { rows, usage }: BatchCounts): Batch {
  const { id, run, parallel, total, createdAt, cancelledAt, finishedAt } = batch;
  const { workflow } = StartRun.parse(run);
  const ended = finishedAt !== undefined;
  return omitUndefined({
    id,
    workflow: typeof workflow === 'string' ? workflow : null,
    parallel,
    total,
    status: cancelledAt === undefined ? (ended ? 'finished' : 'running') : ended ? 'cancelled' : 'cancelling',
    createdAt,
    finishedAt,
    rows: { ...rows },
    usage: usageOf(usage),
  });
}

const usageOf = (usage: RowUsage): Batch['usage'] => ({ ...noModelUsage, ...usage });

/** A row as the API shows it. */
export function batchRowOf(line: StoredRow): z.infer<typeof BatchRow> {
  const { row, status } = line;
  if (status === 'invalid') {
    const { problem } = JSON.parse(line.json) as Extract<ParsedRow, { type: 'problem' }>; // as `linesOf` wrote it
    return { row, status, error: { code: 'ROW_INVALID', message: problem } };
  }
  const { id, input } = workIn(line);
  const { run, error, usage } = rowNoteOf(line);
  return omitUndefined({
    row,
    status,
    id,
    title: titleOf(input),
    runId: run,
    error,
    usage: usage === undefined ? undefined : usageOf(usage),
  });
}

/** Returns the work of a valid row. */
export const workIn = ({ json }: StoredRow): RowWork => JSON.parse(json) as RowWork; // as `linesOf` wrote it

const titleLength = 120;

function titleOf(input: string): string | undefined {
  const line = input.trim().split('\n', 1)[0]?.trim() ?? '';
  return line === '' ? undefined : [...line].slice(0, titleLength).join('');
}

/** Returns rows in their stored form. */
export const linesOf = (rows: readonly ParsedRow[]): readonly StoredRow[] =>
  rows.map((parsed, at) =>
    parsed.type === 'problem'
      ? { row: at + 1, status: 'invalid' satisfies Status, json: JSON.stringify({ problem: parsed.problem }) }
      : { row: at + 1, status: 'waiting' satisfies Status, json: JSON.stringify(parsed.work) },
  );

/** Note on a row beside its status. */
export interface RowNote {
  /** Number of the attempt, from 1; each attempt has its own run. */
  readonly attempt: number;
  /** Id of the present or the last run of the row; absent if it never had one. */
  readonly run?: string;
  /** The run of the attempt continues from its failure. */
  readonly again?: true;
  /** The run was removed: see `noteRemovalOfRow`. */
  readonly removed?: true;
  /** Usage of the run at its last end. */
  readonly usage?: RowUsage;
  /** Reason of its failure. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** Returns the note of a row; by default that of a first attempt. */
export const rowNoteOf = ({ note }: BatchLine): RowNote =>
  note === undefined ? { attempt: 1 } : (JSON.parse(note) as RowNote); // written by those who move rows
