import { maxMessageChars } from '@millrace/core';
import { z } from 'zod';
import { Attachments } from './file.ts';

/** Options of the run of a row. */
export interface RowWork {
  /** Id that the author of the table has given to the row. */
  readonly id?: string;
  readonly input: string;
  readonly vars?: Readonly<Record<string, unknown>>;
  /** Ids of uploaded files. */
  readonly attachments?: readonly string[];
}

/** A parsed row: its work, or its problem. */
export type ParsedRow =
  | { readonly type: 'work'; readonly work: RowWork }
  | { readonly type: 'problem'; readonly problem: string };

/** A parsed table. */
export interface PreviewedTable {
  /** Names of the columns with their meanings; a column without a meaning is ignored. */
  readonly columns: readonly { readonly name: string; readonly to?: string | undefined }[];
  readonly rows: readonly ParsedRow[];
  /** Texts of the cells of the first rows. */
  readonly cells: readonly (readonly string[])[];
}

/** An unparsed row: texts by the names of their columns. */
export type RawRow = Readonly<Record<string, unknown>>;

const Id = z.string().trim().min(1).max(100);
const Vars = z.record(z.string(), z.unknown());

/** The columns of a table. `task` is a synonym of `input`. */
export const columns = ['id', 'input', 'task', 'vars', 'attachments'] as const;

/** Creates a function that parses rows one by one; their ids must be unique. */
export function createRowReader(): (raw: RawRow) => ParsedRow {
  const seen = new Set<string>();
  return (raw) => {
    const read = rowOf(raw);
    if (read.type === 'problem' || read.work.id === undefined) return read;
    if (seen.has(read.work.id)) return problem(`The id "${read.work.id}" is that of a row before.`);
    seen.add(read.work.id);
    return read;
  };
}

function rowOf(raw: RawRow): ParsedRow {
  const input = textIn(raw, 'input') ?? textIn(raw, 'task');
  if (input === undefined) return problem('It has no input.');
  if (input.length > maxMessageChars)
    return problem(`Its input has more than ${maxMessageChars.toLocaleString('en')} characters.`);
  const id = textIn(raw, 'id');
  if (id !== undefined && !Id.safeParse(id).success) return problem('Its id has more than 100 characters.');
  const vars = jsonIn(raw, 'vars', Vars);
  if (vars.type === 'problem') return problem('Its vars are not a JSON object.');
  const values = { ...vars.value, ...singleVars(raw) };
  const files = jsonIn(raw, 'attachments', Attachments);
  if (files.type === 'problem') return problem('Its attachments are no JSON list of ids of uploaded files.');
  return {
    type: 'work',
    work: {
      input,
      ...(id === undefined ? {} : { id: id.trim() }),
      ...(Object.keys(values).length === 0 && vars.value === undefined ? {} : { vars: values }),
      ...(files.value === undefined ? {} : { attachments: files.value }),
    },
  };
}

const problem = (text: string): ParsedRow => ({ type: 'problem', problem: text });

/** Prefix of the names of columns with the value of one variable. */
const varPrefix = 'vars.';

/** Returns the variables with columns of their own; an empty cell sets none. */
const singleVars = (raw: RawRow): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(raw).flatMap(([name, value]) =>
      name.startsWith(varPrefix) && textIn(raw, name) !== undefined ? [[name.slice(varPrefix.length), value]] : [],
    ),
  );

/** Returns the text of a cell, which tables may store as a number or a date; undefined for an empty cell. */
function textIn(raw: RawRow, name: string): string | undefined {
  const value = raw[name];
  if (value === undefined || value === null) return undefined;
  const text = value instanceof Date ? value.toISOString() : typeof value === 'object' ? '' : String(value);
  return text.trim() === '' ? undefined : text;
}

type CellResult<T> = { readonly type: 'value'; readonly value: T | undefined } | { readonly type: 'problem' };

/** Parses a cell with JSON; undefined if it is empty. */
function jsonIn<T>(raw: RawRow, name: string, schema: z.ZodType<T>): CellResult<T> {
  const written = raw[name];
  if (written === undefined || written === null || written === '') return { type: 'value', value: undefined };
  try {
    const { data, success } = schema.safeParse(typeof written === 'string' ? JSON.parse(written) : written);
    return success ? { type: 'value', value: data } : { type: 'problem' };
  } catch {
    return { type: 'problem' };
  }
}
