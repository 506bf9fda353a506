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

/** Meanings of columns, and the columns whose meaning no header says: it is likely by their names and their cells. */
export interface FoundColumns {
  readonly columns: Columns;
  readonly guessed: readonly string[];
}

/** Returns the meanings of the columns that the header of a table names, and guesses where it names no input or no id. */
export function findColumns({ columns: header, rows }: TablePreview): FoundColumns {
  const named = Object.fromEntries(header.flatMap(({ name, to }) => (to === null ? [] : [[name, to]])));
  const free = header.flatMap(({ name, to }, at) =>
    to === null && header.every((other, place) => place === at || other.name !== name)
      ? [{ name, cells: rows.map(({ cells }) => cells[at] ?? '') }]
      : [],
  );
  const meanings = Object.values(named);
  const input = meanings.includes('input') ? undefined : inputAmong(free);
  const id = meanings.includes('id') ? undefined : free.find((column) => column !== input && isId(column));
  return {
    columns: {
      ...named,
      ...(input === undefined ? {} : { [input.name]: 'input' }),
      ...(id === undefined ? {} : { [id.name]: 'id' }),
    },
    guessed: [input, id].flatMap((column) => column?.name ?? []),
  };
}

interface FreeColumn {
  readonly name: string;
  /** Cells of the first rows. */
  readonly cells: readonly string[];
}

const inputNames =
  /^(text|prompt|question|message|letter|e-?mail|body|content|request|description|document|article)s?$/i;

/** Characters that the cells of an input have on average, at least, and how many times those of the next column. */
const inputLength = { least: 20, times: 2 } as const;

/** Returns the column that is named like an input, or whose texts are by far the longest. */
function inputAmong(columns: readonly FreeColumn[]): FreeColumn | undefined {
  const named = columns.find(({ name }) => inputNames.test(name.trim()));
  if (named !== undefined) return named;
  const lengthOf = ({ cells }: FreeColumn): number => cells.join('').length / Math.max(1, cells.length);
  const [longest, next] = columns.toSorted((one, other) => lengthOf(other) - lengthOf(one));
  if (longest === undefined || lengthOf(longest) < inputLength.least) return undefined;
  return next === undefined || lengthOf(longest) >= inputLength.times * lengthOf(next) ? longest : undefined;
}

const idNames = /^(id|no|nr|number|num|key|#|.+[ _-](id|no|nr|number|key))\.?$/i;

/** Tests if a column is named like an id, and each of its cells can be one. */
const isId = ({ name, cells }: FreeColumn): boolean =>
  idNames.test(name.trim()) &&
  new Set(cells).size === cells.length &&
  cells.every((cell) => /^[A-Za-z0-9_-]{1,50}$/.test(cell));

/** Returns what was guessed in words. */
export const guessLabel = ({ columns, guessed }: FoundColumns): string =>
  guessed
    .map((name) => `${name} is ${kindOf(columns[name]) === 'input' ? 'the input' : 'the id of the row'}`)
    .join(', ');

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
