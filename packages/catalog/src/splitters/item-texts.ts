import { isTooDeep, nestsTooDeeply } from '@millrace/core';
import type { JSONPathQuery } from 'json-p3';
import { compile as compilePath } from 'json-p3';
import { jsonrepair } from 'jsonrepair';
import { fencedBlocks } from '../regex/fenced-blocks.ts';
import type { JsonValue } from './python-json.ts';
import { isFields, isList, parseJson, plain } from './python-json.ts';

/** Way of splitting a text into items. */
export type Split =
  | { readonly by: 'lines' }
  | { readonly by: 'delimiter'; readonly delimiter: string }
  | { readonly by: 'json_array' }
  | { readonly by: 'json_path'; readonly path: string; readonly compat: boolean };

/** Returns whether the path of a split is a JSONPath; the original engine has only dotted paths. */
export const isStandardPath = ({ path, compat }: { readonly path: string; readonly compat: boolean }): boolean =>
  path.startsWith('$') && !compat;

/**
 * Returns the texts of the items of a text, at most `most` of them; undefined if the text is not the JSON that is split. It can take
 * long, and much memory.
 */
export function itemTexts(split: Split, text: string, most: number): readonly string[] | undefined {
  switch (split.by) {
    case 'lines':
      return partsOf(text, /\r?\n/g, most);
    case 'delimiter':
      return partsOf(text, split.delimiter, most);
    case 'json_array':
      return arrayIn(text)
        ?.slice(0, most)
        .map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
    case 'json_path': {
      const value = nestsTooDeeply(text) ? undefined : parseJson(text);
      return value === undefined ? undefined : selected(split, value).slice(0, most).map(pythonItemText);
    }
  }
}

/** Returns the parts between delimiters that are not blank. */
function partsOf(text: string, delimiter: string | RegExp, most: number): readonly string[] {
  const parts: string[] = [];
  for (let start = 0; start <= text.length && parts.length < most; ) {
    const { at, end } = next(text, delimiter, start);
    const part = text.slice(start, at);
    if (part.trim() !== '') parts.push(part);
    start = end;
  }
  return parts;
}

/** Returns the place of the next delimiter; behind the text if there is none. */
function next(text: string, delimiter: string | RegExp, start: number): { readonly at: number; readonly end: number } {
  const none = { at: text.length, end: text.length + 1 };
  if (typeof delimiter === 'string') {
    const at = text.indexOf(delimiter, start);
    return at < 0 ? none : { at, end: at + delimiter.length };
  }
  delimiter.lastIndex = start;
  const match = delimiter.exec(text);
  return match === null ? none : { at: match.index, end: delimiter.lastIndex };
}

/** Returns the array in a text: the text is JSON, contains it, or can be repaired to it. */
function arrayIn(text: string): readonly unknown[] | undefined {
  const places = placesIn(text);
  for (const read of [JSON.parse, repaired]) {
    for (const place of places) {
      const value = attempt(read, place);
      if (Array.isArray(value)) return isTooDeep(value) ? undefined : value;
    }
  }
  return undefined;
}

/**
 * Returns the parts of a text that may be the array: the whole text, a fenced block, or the text from the first bracket
 * to the last, if no object encloses it.
 */
function placesIn(text: string): readonly string[] {
  const opening = /^[^[{]*\[/.exec(text)?.[0].length ?? 0;
  const closing = text.lastIndexOf(']');
  const bracketed = opening === 0 ? [] : [text.slice(opening - 1, closing >= opening ? closing + 1 : undefined)];
  return [text, ...fencedBlocks(text), ...bracketed];
}

/** Repairs a text that starts as an array; the repair would make something of any text. */
const repaired = (text: string): unknown =>
  text.trimStart().startsWith('[') ? JSON.parse(jsonrepair(text)) : undefined;

function attempt(read: (text: string) => unknown, text: string): unknown {
  try {
    return read(text);
  } catch {
    // Not JSON: the next part, or the next way of reading, may be.
    return undefined;
  }
}

/** Returns the values that a path selects; none if it does not exist. */
function selected(split: { readonly path: string; readonly compat: boolean }, value: JsonValue): readonly JsonValue[] {
  const { path } = split;
  if (!isStandardPath(split)) return itemsOf(follow(value, path === '' ? [] : path.split('.')));
  const query = compilePath(path);
  // The value was read from JSON.
  const { nodes } = query.query(plain(value) as Parameters<JSONPathQuery['query']>[0]);
  const values = [...nodes].map(({ location }) => follow(value, location)).filter((item) => item !== undefined);
  const [only] = values;
  // A path that can select only one value selects the items of that value, as a dotted path does.
  return query.singularQuery() && only !== undefined && isList(only) ? only : values;
}

const itemsOf = (found: JsonValue | undefined): readonly JsonValue[] =>
  found === undefined || found === null ? [] : isList(found) ? found : [found];

function follow(value: JsonValue, keys: readonly (string | number)[]): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const key of keys) {
    if (isFields(current)) current = current.get(String(key));
    else if (isList(current) && /^\d+$/.test(String(key))) current = current[Number(key)];
    else return undefined;
  }
  return current;
}

/** Returns the text of a value as in Python: objects and lists as JSON, all others as by `str()`. */
function pythonItemText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (isList(value) || isFields(value)) return pythonJson(value);
  const spelled = pythonNumber(value.number);
  return { NaN: 'nan', Infinity: 'inf', '-Infinity': '-inf' }[spelled] ?? spelled;
}

/** Returns JSON with the separators of Python's `json.dumps(value, ensure_ascii=False)`. */
function pythonJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isFields(value)) {
    return `{${[...value].map(([key, field]) => `${JSON.stringify(key)}: ${pythonJson(field)}`).join(', ')}}`;
  }
  if (isList(value)) return `[${value.map(pythonJson).join(', ')}]`;
  return pythonNumber(value.number);
}

/** Returns a number of a JSON text as in Python: whole numbers in full, others as by `repr(float)`. */
function pythonNumber(written: string): string {
  if (/^-?\d+$/.test(written)) return written === '-0' ? '0' : written;
  const value = Number(written);
  if (!Number.isFinite(value)) return String(value);
  return pythonFloat(value);
}

/**
 * Returns the `repr` of a float: the shortest digits that give the same number, with an exponent below 1e-4 and from
 * 1e16 on.
 */
function pythonFloat(value: number): string {
  const [digits = '', power = ''] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 16) {
    const fixed = exponent >= 0 ? String(value) : fixedFraction(digits, -exponent);
    return fixed.includes('.') ? fixed : `${fixed}.0`;
  }
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function fixedFraction(digits: string, zeros: number): string {
  const sign = digits.startsWith('-') ? '-' : '';
  return `${sign}0.${'0'.repeat(zeros - 1)}${digits.replace(/[-.]/g, '')}`;
}
