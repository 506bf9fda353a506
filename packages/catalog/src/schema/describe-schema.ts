import type { JsonSchema } from '@millrace/core';
import { alternativesOf, isSchema, typesOf } from './data-schema.ts';

/** Maximum length of a description, in characters. */
const mostCharacters = 300;

/** Returns the fields of a schema for people, such as `{verdict: accept | revise, score?: integer}`. */
export function describeSchema(schema: JsonSchema): string {
  const text = describe(schema, schema, 0);
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
}

/** Levels of objects and lists whose inside is described. */
const mostLevels = 2;

function describe(schema: JsonSchema, root: JsonSchema, level: number): string {
  const words = alternativesOf(schema, root).map((one) => describeOne(one, root, level));
  return [...new Set(words)].join(' | ');
}

function describeOne(schema: JsonSchema, root: JsonSchema, level: number): string {
  const { enum: choices, items } = schema;
  if ('const' in schema) return wordOf(schema['const']);
  if (Array.isArray(choices)) return choices.map(wordOf).join(' | ');
  const types = typesOf(schema).map((type) => {
    if (type === 'object') return level >= mostLevels ? '{…}' : fieldsOf(schema, root, level + 1);
    return type === 'array'
      ? `[${isSchema(items) && level < mostLevels ? describe(items, root, level + 1) : '…'}]`
      : type;
  });
  return types.length === 0 ? 'any' : types.join(' | ');
}

function fieldsOf({ properties, required }: JsonSchema, root: JsonSchema, level: number): string {
  const needed = Array.isArray(required) ? required : [];
  const fields = Object.entries(isSchema(properties) ? properties : {}).map(([name, field]) => {
    const optional = needed.includes(name) ? '' : '?';
    return `${name}${optional}: ${isSchema(field) ? describe(field, root, level) : 'any'}`;
  });
  return `{${fields.join(', ')}}`;
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
