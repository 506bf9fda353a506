import { isDeepStrictEqual } from 'node:util';
import type { ConfigProblem, DataRoute, JsonSchema } from '@millrace/core';
import { didYouMean } from '@millrace/core';
import type { Comparison } from '../comparison/comparison.ts';
import type { PathStep, ValuePath } from '../comparison/value-path.ts';
import { compileValuePath, PathError } from '../comparison/value-path.ts';
import { alternativesOf, isSchema, typesOf } from './data-schema.ts';

/*
 * Checks of paths and comparisons against the schema of the data, before a run. Nothing is reported that may be right: a part of
 * the data of which the schema says nothing may be anything.
 */

/** What a schema says of the values at a path: these schemas, anything, or that there is no such field. */
type FoundShape =
  | { readonly type: 'known'; readonly schemas: readonly JsonSchema[] }
  | { readonly type: 'open' }
  | { readonly type: 'unknown'; readonly name: string; readonly names: readonly string[] };

/** Returns what a schema says of the values at a path. */
function shapeAt(shape: JsonSchema, path: string): FoundShape {
  const steps = compiled(path)?.steps;
  return steps === undefined ? { type: 'open' } : follow(shape, steps);
}

/** Returns a path; undefined for one with an error, which is reported elsewhere. */
function compiled(path: string): ValuePath | undefined {
  try {
    return compileValuePath(path);
  } catch (error) {
    if (error instanceof PathError) return undefined;
    throw error;
  }
}

function follow(root: JsonSchema, steps: readonly PathStep[]): FoundShape {
  let schemas = alternativesOf(root, root);
  for (const step of steps) {
    const next = schemas.map((schema) => below(schema, step));
    if (next.includes('anything')) return { type: 'open' };
    const found = next.flatMap((one) => (one === 'anything' ? [] : one));
    if (found.length === 0) return { type: 'unknown', name: step.name, names: schemas.flatMap(namesOf) };
    schemas = [...new Set(found.flatMap((schema) => alternativesOf(schema, root)))];
  }
  return { type: 'known', schemas };
}

const namesOf = ({ properties }: JsonSchema): readonly string[] =>
  isSchema(properties) ? Object.keys(properties) : [];

/** Returns the schemas of the values that one step leads to. */
function below(schema: JsonSchema, step: PathStep): readonly JsonSchema[] | 'anything' {
  const types = typesOf(schema);
  if (types.length === 0 && !('enum' in schema) && !('const' in schema)) return 'anything';
  const entries = types.includes('array') && step.type !== 'field' ? [schema['items']] : [];
  const fields = types.includes('object') ? fieldsBelow(schema, step) : [];
  const found = [...entries, ...fields];
  return found.every(isSchema) ? found : 'anything';
}

/** Returns the schemas of the fields that one step leads to; one that may be anything is no schema. */
function fieldsBelow(
  { properties, additionalProperties: others }: JsonSchema,
  { type, name }: PathStep,
): readonly unknown[] {
  const fields = isSchema(properties) ? properties : {};
  const named = type === 'each' ? Object.values(fields) : Object.hasOwn(fields, name) ? [fields[name]] : [];
  const isClosed = others === undefined || others === false;
  return isClosed || (named.length > 0 && type !== 'each') ? named : [...named, others];
}

/** Returns the problem of a path to a field that does not exist. */
export function pathProblems(shape: JsonSchema, path: string, at: ConfigProblem['path']): readonly ConfigProblem[] {
  const found = shapeAt(shape, path);
  if (found.type !== 'unknown') return [];
  const { name, names } = found;
  const hint = didYouMean(name, names) ?? (names.length === 0 ? undefined : `Its fields are: ${names.join(', ')}.`);
  const where = path === name ? '' : ` at "${path}"`;
  return [problem('E_DATA_FIELD_UNKNOWN', at, `The data have no field "${name}"${where}`, hint)];
}

const problem = (code: string, path: ConfigProblem['path'], message: string, hint?: string): ConfigProblem => ({
  code,
  severity: 'error',
  path,
  message,
  ...(hint === undefined ? {} : { hint }),
});

/** Paths of the parts of a comparison in a configuration. */
interface ComparisonPlaces {
  readonly path: ConfigProblem['path'];
  /** Returns the place of a comparison by its name. */
  at(name: string): ConfigProblem['path'];
}

/** Returns what is wrong with a comparison of data with this schema. */
export function comparisonShapeProblems(
  shape: JsonSchema,
  comparison: Comparison,
  places: ComparisonPlaces,
): readonly ConfigProblem[] {
  const found = shapeAt(shape, comparison.path);
  if (found.type === 'unknown') return pathProblems(shape, comparison.path, places.path);
  if (found.type === 'open') return [];
  const { schemas } = found;
  const values = [
    ...(comparison.equals === undefined ? [] : [{ name: 'equals', value: comparison.equals, at: places.at('equals') }]),
    ...(comparison.not === undefined ? [] : [{ name: 'not', value: comparison.not, at: places.at('not') }]),
    ...(comparison.in ?? []).map((value, index) => ({ name: 'in', value, at: [...places.at('in'), index] })),
  ];
  return [
    ...values.flatMap(({ value, at }) => valueProblems(comparison.path, value, { schemas, at })),
    ...limitNames.flatMap((name) => limitProblems(comparison, name, { schemas, at: places.at(name) })),
    ...typeProblems(comparison, schemas, places),
  ];
}

interface Compared {
  readonly schemas: readonly JsonSchema[];
  readonly at: ConfigProblem['path'];
}

function valueProblems(path: string, value: unknown, { schemas, at }: Compared): readonly ConfigProblem[] {
  if (schemas.some((schema) => mayBe(schema, value))) return [];
  const choices = schemas.map(choicesOf);
  const known = choices.every((list) => list !== undefined) ? choices.flat() : undefined;
  const texts = known?.filter((choice) => typeof choice === 'string') ?? [];
  const hint =
    (typeof value === 'string' ? didYouMean(value, texts) : undefined) ??
    (known === undefined
      ? quotingHint(value, schemas)
      : `It is ${known.map((one) => JSON.stringify(one)).join(' or ')}.`);
  const message = `"${path}" is never ${JSON.stringify(value)}${known === undefined ? `: it is ${kindOf(schemas)}` : ''}`;
  return [problem('E_DATA_VALUE_IMPOSSIBLE', at, message, hint)];
}

function quotingHint(value: unknown, schemas: readonly JsonSchema[]): string | undefined {
  const isText = schemas.some((schema) => typesOf(schema).includes('string'));
  if (isText && typeof value !== 'string') return 'Write it in quotes if the text itself is meant.';
  return typeof value === 'string' && !isText && schemas.some((schema) => mayBe(schema, parsed(value)))
    ? 'Write it without quotes.'
    : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // It is only a text.
    return text;
  }
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  object: 'a mapping',
};

const kindOf = (schemas: readonly JsonSchema[]): string =>
  [...new Set(schemas.flatMap((schema) => typesOf(schema).map((type) => nouns[type] ?? type)))].join(' or ');

/** Returns the values of a schema that has only a few; undefined for any other. */
function choicesOf(schema: JsonSchema): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']];
  if (Array.isArray(schema['enum'])) return schema['enum'];
  const types = typesOf(schema);
  const isSmall = types.length > 0 && types.every((type) => type === 'boolean' || type === 'null');
  return isSmall ? types.flatMap((type) => (type === 'boolean' ? [true, false] : [null])) : undefined;
}

/** Returns whether a value may match a schema, by its type and its choices. */
function mayBe(schema: JsonSchema, value: unknown): boolean {
  const choices = choicesOf(schema);
  if (choices !== undefined) return choices.some((choice) => isDeepStrictEqual(choice, value));
  const types = typesOf(schema);
  if (types.length === 0) return true;
  const own = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  if (own !== 'number') return types.some((type) => type === own);
  return (
    (types.includes('number') || (types.includes('integer') && Number.isInteger(value))) &&
    isWithin(schema, Number(value))
  );
}

const isWithin = ({ minimum, maximum }: JsonSchema, value: number): boolean =>
  (typeof minimum !== 'number' || value >= minimum) && (typeof maximum !== 'number' || value <= maximum);

const limitNames = ['above', 'at_least', 'below', 'at_most'] as const;

/** Returns whether some value within the bounds of a schema passes a limit. */
const passes: { readonly [Name in (typeof limitNames)[number]]: (bounds: JsonSchema, limit: number) => boolean } = {
  above: ({ maximum }, limit) => typeof maximum !== 'number' || maximum > limit,
  at_least: ({ maximum }, limit) => typeof maximum !== 'number' || maximum >= limit,
  below: ({ minimum }, limit) => typeof minimum !== 'number' || minimum < limit,
  at_most: ({ minimum }, limit) => typeof minimum !== 'number' || minimum <= limit,
};

function limitProblems(
  comparison: Comparison,
  name: (typeof limitNames)[number],
  { schemas, at }: Compared,
): readonly ConfigProblem[] {
  const limit = comparison[name];
  if (limit === undefined || schemas.some((schema) => isNumeric(schema) && passes[name](schema, limit))) return [];
  const reason = schemas.some(isNumeric) ? 'within its bounds' : `as it is ${kindOf(schemas)}`;
  return [
    problem(
      'E_DATA_VALUE_IMPOSSIBLE',
      at,
      `"${comparison.path}" is never ${name.replace('_', ' ')} ${limit} ${reason}`,
    ),
  ];
}

const hasType = (schema: JsonSchema, types: readonly string[]): boolean => {
  const own = typesOf(schema);
  const choices = choicesOf(schema);
  if (choices !== undefined && own.length === 0) return choices.some((one) => types.includes(typeof one));
  return own.length === 0 || own.some((type) => types.includes(type));
};

const isNumeric = (schema: JsonSchema): boolean => hasType(schema, ['number', 'integer']);

function typeProblems(
  { path, matches, length }: Comparison,
  schemas: readonly JsonSchema[],
  places: ComparisonPlaces,
): readonly ConfigProblem[] {
  const lacks = (types: readonly string[]) => !schemas.some((schema) => hasType(schema, types));
  const impossible = (name: string, what: string) =>
    problem('E_DATA_VALUE_IMPOSSIBLE', places.at(name), `"${path}" is ${kindOf(schemas)}, which ${what}`);
  return [
    ...(matches !== undefined && lacks(['string']) ? [impossible('matches', 'has no text to match')] : []),
    ...(length !== undefined && lacks(['string', 'array', 'object']) ? [impossible('length', 'has no length')] : []),
  ];
}

/** Returns the problem of splitting a value that is never a list. */
export function splitProblems(shape: JsonSchema, path: string, at: ConfigProblem['path']): readonly ConfigProblem[] {
  if (path === '') return [problem('E_SPLIT_NOT_LIST', at, 'The data are one object, which is not a list')];
  const found = shapeAt(shape, path);
  if (found.type === 'unknown') return pathProblems(shape, path, at);
  if (found.type === 'open' || compiled(path)?.isSingular === false) return [];
  if (found.schemas.some((schema) => hasType(schema, ['array']))) return [];
  return [problem('E_SPLIT_NOT_LIST', at, `"${path}" is ${kindOf(found.schemas) || 'a single value'}, not a list`)];
}

/** Returns the schema of the entries of the list at a path, or of the values that a path selects; undefined if it is not known. */
export function entryShape(shape: JsonSchema, path: string): JsonSchema | undefined {
  const found = path === '' ? undefined : shapeAt(shape, path);
  if (found?.type !== 'known') return undefined;
  const isSingular = compiled(path)?.isSingular !== false;
  const [only, ...more] = found.schemas;
  const entry = isSingular && only !== undefined ? only['items'] : only;
  return more.length > 0 || !isSchema(entry) ? undefined : within(entry, shape);
}

/** Returns the schema of the object at a path; undefined if it is not known. */
export function partShape(shape: JsonSchema, path: string): JsonSchema | undefined {
  const found = shapeAt(shape, path);
  const [only, ...more] = found.type === 'known' ? found.schemas : [];
  return only !== undefined && more.length === 0 && only['type'] === 'object' ? within(only, shape) : undefined;
}

/** Returns a part of a schema with the definitions that it may refer to; the same part is the same object. */
function within(part: JsonSchema, { $defs }: JsonSchema): JsonSchema {
  if ($defs === undefined) return part;
  const known = parts.get(part) ?? { ...part, $defs };
  parts.set(part, known);
  return known;
}

const parts = new WeakMap<JsonSchema, JsonSchema>();

/** Returns the fields and values by which comparisons decide, if each field has a few values; else undefined. */
export function routesOf(shape: JsonSchema, comparisons: readonly Comparison[]): readonly DataRoute[] | undefined {
  const routes = comparisons.map((comparison) => routeOf(shape, comparison));
  const known = routes.filter((route) => route !== undefined);
  return known.length === routes.length ? known : undefined;
}

function routeOf(shape: JsonSchema, { path, ...tests }: Comparison): DataRoute | undefined {
  const found = shapeAt(shape, path);
  const others = Object.entries(tests).filter(
    ([name, value]) => value !== undefined && !['equals', 'not', 'in'].includes(name),
  );
  if (found.type !== 'known' || others.length > 0 || compiled(path)?.isSingular !== true) return undefined;
  const choices = found.schemas.map(choicesOf);
  const possible = [...new Set(choices.flatMap((list) => list ?? []))];
  if (choices.includes(undefined) || possible.some((value) => typeof value === 'object' && value !== null))
    return undefined;
  const { equals, not, in: list } = tests;
  const taken = possible.filter(
    (value) =>
      (equals === undefined || value === equals) &&
      (not === undefined || value !== not) &&
      (list?.includes(value) ?? true),
  );
  return { path, possible, taken };
}
