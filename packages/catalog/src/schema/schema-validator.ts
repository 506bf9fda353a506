import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '@millrace/core';
import { boundedIssues, isMapping } from '@millrace/core';
import type { CompiledPattern } from '../regex/python-regex.ts';
import { pythonRegex } from '../regex/python-regex.ts';
import type { TypeName } from './data-schema.ts';
import { definitionAt, textFormats, typesOf } from './data-schema.ts';

/** Result of a validation: the data, or problems as sentences, each with its place as a JSON pointer. */
export type Validated<T = unknown> =
  | { readonly type: 'valid'; readonly data: T }
  | { readonly type: 'invalid'; readonly problems: readonly string[] };

/**
 * Validates a value against a schema that `dataSchemaProblems` accepts. Valid data have their fields in the order of the schema.
 * Fields that it does not name are left out, unless it says `additionalProperties`; null for a field that may be absent means
 * that it is absent, as models that fill all fields write it.
 *
 * Each part of the value is compared with each part of the schema once at most, so alternatives that contain each other take no
 * exponential time.
 */
export async function validate(schema: JsonSchema, value: unknown): Promise<Validated> {
  const checked = await check(schema, value, { root: schema, known: new Map(), patterns: new Map() });
  if (checked.type === 'valid') return checked;
  const problems = boundedIssues(checked.issues).map(
    ({ path, message }) => `${path.map((key) => `/${key}`).join('') || 'the object'}: ${message}`,
  );
  return { type: 'invalid', problems };
}

/** Validates an object against a schema that describes objects only; see {@link validate}. */
export const validateObject = (schema: JsonSchema, value: Data): Promise<Validated<Data>> =>
  // Every value of such a schema is an object.
  validate(schema, value) as Promise<Validated<Data>>;

type Data = Readonly<Record<string, unknown>>;

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}
type Checked =
  | { readonly type: 'valid'; readonly data: unknown }
  | { readonly type: 'invalid'; readonly issues: readonly Issue[] };

interface Validation {
  readonly root: JsonSchema;
  /** Results so far, by part of the schema and of the value. */
  readonly known: Map<JsonSchema, Map<unknown, Promise<Checked>>>;
  /** Patterns that are compiled. */
  readonly patterns: Map<string, CompiledPattern>;
}

const valid = (data: unknown): Checked => ({ type: 'valid', data });
const invalid = (message: string): Checked => ({ type: 'invalid', issues: [{ path: [], message }] });

function check(schema: JsonSchema, value: unknown, validation: Validation): Promise<Checked> {
  const { known } = validation;
  const results = known.get(schema) ?? new Map<unknown, Promise<Checked>>();
  known.set(schema, results);
  const result = results.get(value) ?? compare(schema, value, validation);
  results.set(value, result);
  return result;
}

async function compare(schema: JsonSchema, value: unknown, validation: Validation): Promise<Checked> {
  const { $ref: reference, anyOf, enum: choices } = schema;
  if (reference !== undefined) return check(definitionAt(validation.root, reference) ?? {}, value, validation);
  if (Array.isArray(anyOf)) return anyMatch(anyOf, value, validation);
  if ('const' in schema) return oneOf([schema['const']], value);
  if (Array.isArray(choices)) return oneOf(choices, value);
  const types = typesOf(schema);
  if (types.length === 0) return valid(value);
  const type = types.find((name) => isOf[name](value));
  if (type === undefined) return invalid(`expected ${types.map((name) => nouns[name]).join(' or ')}`);
  if (typeof value === 'string') return checkText(schema, value, validation);
  if (typeof value === 'number') return checkNumber(schema, value);
  if (Array.isArray(value)) return checkList(schema, value, validation);
  return isMapping(value) ? checkFields(schema, value, validation) : valid(value);
}

const isOf: { readonly [Name in TypeName]: (value: unknown) => boolean } = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: isMapping,
};

const nouns: { readonly [Name in TypeName]: string } = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'an array',
  object: 'an object',
};

async function anyMatch(schemas: readonly JsonSchema[], value: unknown, validation: Validation): Promise<Checked> {
  let nearest: readonly Issue[] | undefined;
  for (const schema of schemas) {
    const checked = await check(schema, value, validation);
    if (checked.type === 'valid') return checked;
    // The alternative that comes nearest is more helpful than that none fits.
    if (nearest === undefined || isNearer(checked.issues, nearest)) nearest = checked.issues;
  }
  return { type: 'invalid', issues: nearest ?? [] };
}

const isNearer = (issues: readonly Issue[], others: readonly Issue[]): boolean =>
  depthOf(issues) > depthOf(others) || (depthOf(issues) === depthOf(others) && issues.length < others.length);

const depthOf = (issues: readonly Issue[]): number => issues.reduce((most, { path }) => Math.max(most, path.length), 0);

const oneOf = (choices: readonly unknown[], value: unknown): Checked =>
  choices.some((choice) => isDeepStrictEqual(choice, value))
    ? valid(value)
    : invalid(
        `expected ${choices.length === 1 ? '' : 'one of '}${choices.map((one) => JSON.stringify(one)).join(', ')}`,
      );

/** Returns a keyword of a schema that has been checked. */
const keyword = <T>(schema: JsonSchema, name: string): T | undefined => schema[name] as T | undefined;

async function checkText(schema: JsonSchema, text: string, { patterns }: Validation): Promise<Checked> {
  const size = outOfBounds(schema, [...text].length, { least: 'minLength', most: 'maxLength', unit: 'characters' });
  if (size !== undefined) return size;
  const format = keyword<keyof typeof textFormats>(schema, 'format');
  if (format !== undefined && !textFormats[format].safeParse(text).success) return invalid(`expected a ${format}`);
  const pattern = keyword<string>(schema, 'pattern');
  if (pattern === undefined) return valid(text);
  const compiled = patterns.get(pattern) ?? pythonRegex(pattern);
  patterns.set(pattern, compiled);
  if ((await compiled.search(text)) !== undefined) return valid(text);
  return invalid(`expected a text that matches ${JSON.stringify(pattern)}`);
}

const numberTests = [
  { name: 'minimum', words: 'of at least', test: (value: number, limit: number) => value >= limit },
  { name: 'maximum', words: 'of at most', test: (value: number, limit: number) => value <= limit },
  { name: 'exclusiveMinimum', words: 'above', test: (value: number, limit: number) => value > limit },
  { name: 'exclusiveMaximum', words: 'below', test: (value: number, limit: number) => value < limit },
  {
    name: 'multipleOf',
    words: 'that is a multiple of',
    // Decimal fractions are not exact.
    test: (value: number, limit: number) => Math.abs(value / limit - Math.round(value / limit)) < 1e-9,
  },
] as const;

function checkNumber(schema: JsonSchema, value: number): Checked {
  for (const { name, words, test } of numberTests) {
    const limit = keyword<number>(schema, name);
    if (limit !== undefined && !test(value, limit)) return invalid(`expected a number ${words} ${limit}`);
  }
  return valid(value);
}

function outOfBounds(
  schema: JsonSchema,
  size: number,
  { least, most, unit }: { readonly least: string; readonly most: string; readonly unit: string },
): Checked | undefined {
  const [minimum = 0, maximum = Number.POSITIVE_INFINITY] = [least, most].map((name) => keyword<number>(schema, name));
  if (size < minimum) return invalid(`expected at least ${minimum} ${unit}`);
  return size > maximum ? invalid(`expected at most ${maximum} ${unit}`) : undefined;
}

async function checkList(schema: JsonSchema, list: readonly unknown[], validation: Validation): Promise<Checked> {
  const size = outOfBounds(schema, list.length, { least: 'minItems', most: 'maxItems', unit: 'entries' });
  if (size !== undefined) return size;
  if (schema['uniqueItems'] === true && new Set(list.map((one) => JSON.stringify(one))).size < list.length)
    return invalid('expected entries that differ');
  const items = keyword<JsonSchema>(schema, 'items') ?? {};
  const data: unknown[] = [];
  const issues: Issue[] = [];
  for (const [at, entry] of list.entries()) {
    const checked = await check(items, entry, validation);
    if (checked.type === 'valid') data.push(checked.data);
    else addIssues(issues, at, checked.issues);
  }
  return issues.length === 0 ? valid(data) : { type: 'invalid', issues };
}

type Fields = Readonly<Record<string, unknown>>;

async function checkFields(schema: JsonSchema, value: Fields, validation: Validation): Promise<Checked> {
  // The schema has been checked.
  const { properties = {}, required = [] } = schema as { properties?: Record<string, JsonSchema>; required?: string[] };
  const data: [string, unknown][] = [];
  const issues: Issue[] = [];
  for (const name of required) if (!Object.hasOwn(value, name)) addIssues(issues, name, isMissing);
  const named = Object.entries(properties).filter(([name]) => Object.hasOwn(value, name));
  const others = otherFields(schema, value);
  if (others === 'refused') {
    for (const name of unknownNames(schema, value)) addIssues(issues, name, isUnknown);
  }
  for (const [name, field] of others === 'refused' ? named : [...named, ...others]) {
    const checked = await check(field, value[name], validation);
    if (checked.type === 'valid') data.push([name, checked.data]);
    // A field that may be absent, and is null.
    else if (value[name] !== null || required.includes(name)) addIssues(issues, name, checked.issues);
  }
  return issues.length === 0 ? valid(Object.fromEntries(data)) : { type: 'invalid', issues };
}

const unknownNames = ({ properties }: JsonSchema, value: Fields): readonly string[] =>
  Object.keys(value).filter((name) => !isMapping(properties) || !Object.hasOwn(properties, name));

/** Returns the fields that the schema does not name, with what they have to match; without a word they are left out. */
function otherFields(schema: JsonSchema, value: Fields): readonly (readonly [string, JsonSchema])[] | 'refused' {
  const { additionalProperties: others } = schema;
  if (others === undefined) return [];
  if (others === false) return unknownNames(schema, value).length === 0 ? [] : 'refused';
  return unknownNames(schema, value).map((name) => [name, isMapping(others) ? others : {}]);
}

const isMissing: readonly Issue[] = [{ path: [], message: 'is missing' }];
const isUnknown: readonly Issue[] = [{ path: [], message: 'is not a field of it' }];

/** Maximum number of problems that are kept of one part of a value. */
const mostIssues = 30;

function addIssues(issues: Issue[], key: PropertyKey, inner: readonly Issue[]): void {
  for (const { path, message } of inner) if (issues.length < mostIssues) issues.push({ path: [key, ...path], message });
}
