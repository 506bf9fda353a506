import { z } from 'zod';

/** Meaning of a column of a table: a field of the row, or `vars.NAME` for one variable. */
export const ColumnTarget = z
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
