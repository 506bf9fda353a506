import type { Json } from '../turn.ts';
import { isObject } from '../turn.ts';

/** Fields of a body: the accepted words of each, or its types of JSON, with `|` between alternatives. */
export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** A field that does not belong to a body, or that has a wrong value. */
export type FieldProblem =
  | { readonly type: 'unknown'; readonly name: string; readonly value: unknown }
  | { readonly type: 'wrong'; readonly name: string; readonly value: unknown; readonly expected: string }
  | {
      readonly type: 'word';
      readonly name: string;
      readonly value: unknown;
      readonly words: readonly string[];
    };

const isOf: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: isObject,
  any: () => true,
};

/** Returns the first field that the table does not know, or whose value has another type; null means absent. */
export function fieldProblem(body: Json, fields: Fields): FieldProblem | undefined {
  for (const [name, value] of Object.entries(body)) {
    const expected = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (expected === undefined) return { type: 'unknown', name, value };
    if (value === null) continue;
    if (typeof expected !== 'string') {
      if (!expected.includes(String(value))) return { type: 'word', name, value, words: expected };
    } else if (!expected.split('|').some((type) => isOf[type]?.(value) === true)) {
      return { type: 'wrong', name, value, expected };
    }
  }
  return undefined;
}
