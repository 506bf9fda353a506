import type { TablePreview } from '@millrace/client';

/** Kind of meaning of a column; `variable`: of one variable, with a name. */
export type ColumnKind = 'ignored' | 'input' | 'id' | 'vars' | 'attachments' | 'variable';

/** Words of each kind. */
export const columnKinds: Readonly<Record<ColumnKind, string>> = {
  ignored: 'ignored',
  input: 'input',
  id: 'id of the row',
  variable: 'a variable',
  vars: 'variables, as JSON',
  attachments: 'ids of files, as JSON',
};

/** Meanings of columns by their names; unknown columns are ignored. */
export type Columns = Readonly<Record<string, string>>;

/** Returns the meanings of the columns that the header of a table names. */
export const columnsOf = ({ columns }: TablePreview): Columns =>
  Object.fromEntries(columns.flatMap(({ name, to }) => (to === null ? [] : [[name, to]])));

/** Returns the kind of a meaning. */
export const kindOf = (to: string | undefined): ColumnKind =>
  to === undefined ? 'ignored' : to.startsWith('vars.') ? 'variable' : (to as ColumnKind); // what previews name

/** Returns the columns with another meaning for one; a column that had this meaning loses it. */
export function withKind(columns: Columns, name: string, kind: ColumnKind): Columns {
  const { [name]: _before, ...others } = columns;
  if (kind === 'ignored') return others;
  const to = kind === 'variable' ? `vars.${variableName(name)}` : kind;
  return { ...Object.fromEntries(Object.entries(others).filter(([, meaning]) => meaning !== to)), [name]: to };
}

/** Returns the name of a variable for the name of a column, as in `FIRST_NAME` for `First name`. */
export function variableName(column: string): string {
  const name = column
    .trim()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  return /^[A-Z_]/.test(name) ? name : `V_${name}`;
}

/** Returns the reason why a table cannot be sent with these columns; undefined if it can. */
export function obstacleIn(columns: Columns): string | undefined {
  const meanings = Object.values(columns);
  if (!meanings.includes('input')) return 'Choose the column that has the input of each row.';
  const wrong = meanings.find((to) => to.startsWith('vars.') && !/^vars\.[A-Za-z_]\w*$/.test(to));
  if (wrong !== undefined) return `"${wrong.slice(5)}" is no name of a variable: use letters, digits and _.`;
  return new Set(meanings).size < meanings.length ? 'Two columns set the same variable.' : undefined;
}
