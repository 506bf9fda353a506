import type { PreviewedTable } from '../schemas/parsed-row.ts';
import type { TablePreview } from './batch.ts';

/** Numbers of rows and of problems that a preview shows. */
const shownRows = 20;
const shownProblems = 100;
const cellLength = 200;

/** Returns the preview of a table. */
export function previewOf({ columns, cells, rows }: PreviewedTable): TablePreview {
  const problems = rows.flatMap((row, at) => (row.type === 'problem' ? [{ row: at + 1, problem: row.problem }] : []));
  const problemAt = new Map(problems.map(({ row, problem }) => [row, problem]));
  return {
    columns: columns.map(({ name, to }) => ({ name: name.slice(0, cellLength), to: to ?? null })),
    total: rows.length,
    wrong: problems.length,
    rows: cells.slice(0, shownRows).map((texts, at) => {
      const problem = problemAt.get(at + 1);
      const row = { row: at + 1, cells: texts.map((text) => text.slice(0, cellLength)) };
      return problem === undefined ? row : { ...row, problem };
    }),
    problems: problems.slice(0, shownProblems),
  };
}
