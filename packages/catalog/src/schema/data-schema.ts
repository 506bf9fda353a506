import type { ConfigProblem, JsonSchema } from '@millrace/core';
import { didYouMean } from '@millrace/core';
import { z } from 'zod';
import { patternProblem } from '../comparison/comparison.ts';

/*
 * The subset of JSON Schema (2020-12) for structured data: everything that providers and this engine understand alike. Objects
 * have named fields, and `anyOf` and `$ref` into `$defs` join them; nothing of it depends on other documents.
 */

/** Maximum size of a schema as JSON, in characters. */
const maxCharacters = 64 * 1024;

const typeNames = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'] as const;
/** Name of a type in a schema. */
export type TypeName = (typeof typeNames)[number];

/** Formats of texts. */
export const textFormats = {
  date: z.iso.date(),
  time: z.iso.time(),
  'date-time': z.iso.datetime({ offset: true }),
  email: z.email(),
  uri: z.url(),
  uuid: z.uuid(),
} as const;

const Count = z.int().min(0);
const TypeName = z.enum(typeNames);

/** Keywords with a value that is no schema. */
const valueKeywords = {
  type: z.union([TypeName, z.array(TypeName).min(1)]),
  enum: z.array(z.unknown()).min(1),
  const: z.unknown(),
  minLength: Count,
  maxLength: Count,
  pattern: z.string(),
  format: z.enum(Object.keys(textFormats)),
  minimum: z.number(),
  maximum: z.number(),
  exclusiveMinimum: z.number(),
  exclusiveMaximum: z.number(),
  multipleOf: z.number().positive(),
  minItems: Count,
  maxItems: Count,
  uniqueItems: z.boolean(),
  required: z.array(z.string()),
} as const satisfies Record<string, z.ZodType>;

/** Keywords that say something to people and models, and test nothing. */
const annotations = ['title', 'description', 'default', 'examples', '$comment', '$schema'];

const numberKeywords = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
/** Keywords that belong to types. */
const typeKeywords: Readonly<Record<TypeName, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: numberKeywords,
  integer: numberKeywords,
  boolean: [],
  null: [],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'required', 'additionalProperties'],
};
const known = [
  ...annotations,
  ...['type', 'enum', 'const', 'anyOf', '$ref', '$defs'],
  ...new Set(Object.values(typeKeywords).flat()),
];

/** Returns the part of a schema at a reference; undefined if there is none. */
export function definitionAt(root: JsonSchema, reference: unknown): JsonSchema | undefined {
  const name = typeof reference === 'string' ? /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1] : undefined;
  const definitions = root['$defs'];
  const found =
    name !== undefined && isSchema(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  return isSchema(found) ? found : undefined;
}

/** Returns the types that a schema names. */
export const typesOf = ({ type }: JsonSchema): readonly TypeName[] =>
  // The schema has been checked.
  (Array.isArray(type) ? type : type === undefined ? [] : [type]) as readonly TypeName[];

/** Returns whether a value is a mapping, as schemas are. */
export const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns what this engine does not support in a schema for structured data, which is an object; paths are relative to it. */
export function dataSchemaProblems(schema: JsonSchema): readonly ConfigProblem[] {
  const found = schemaProblems(schema);
  if (found.length > 0) return found;
  return isObjectSchema(schema, schema)
    ? []
    : [problem([], 'The schema must describe an object', 'Write `type: object` and its `properties`.')];
}

/** Returns what this engine does not support in a schema for any value; paths are relative to it. */
export const schemaProblems = (schema: JsonSchema): readonly ConfigProblem[] =>
  JSON.stringify(schema).length > maxCharacters
    ? [problem([], `The schema has more than ${maxCharacters / 1024} KiB`)]
    : problemsOf(schema, [], schema);

type Path = ConfigProblem['path'];

const problem = (path: Path, message: string, hint?: string): ConfigProblem => ({
  code: 'E_SCHEMA_UNSUPPORTED',
  severity: 'error',
  path,
  message,
  ...(hint === undefined ? {} : { hint }),
});

function problemsOf(schema: unknown, path: Path, root: JsonSchema): readonly ConfigProblem[] {
  if (!isSchema(schema)) return [problem(path, 'A schema is a mapping, such as `type: string`')];
  const isRoot = schema === root;
  const allowed = allowedIn(schema, isRoot);
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const at = [...path, keyword];
    if (annotations.includes(keyword)) return [];
    if (!known.includes(keyword)) {
      const hint = didYouMean(keyword, known) ?? `Supported are: ${known.join(', ')}.`;
      return [problem(at, `The keyword "${keyword}" is not supported in schemas`, hint)];
    }
    if (!allowed.includes(keyword)) return [problem(at, misplaced(keyword, schema))];
    return keywordProblems(keyword, value, { schema, at, root });
  });
}

function allowedIn(schema: JsonSchema, isRoot: boolean): readonly string[] {
  const definitions = isRoot ? ['$defs'] : [];
  if ('$ref' in schema) return ['$ref', ...definitions];
  if ('anyOf' in schema) return ['anyOf', ...definitions];
  const named = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  const own = typeNames.filter((name) => named.includes(name)).flatMap((name) => typeKeywords[name]);
  return ['type', 'enum', 'const', ...own, ...definitions];
}

function misplaced(keyword: string, schema: JsonSchema): string {
  if (keyword === '$defs') return '"$defs" belongs to the top of the schema';
  const beside = ['$ref', 'anyOf'].find((other) => other in schema && other !== keyword);
  if (beside !== undefined) return `"${keyword}" is not supported beside "${beside}"`;
  const owner = typeNames.find((name) => typeKeywords[name].includes(keyword)) ?? '';
  return `"${keyword}" needs \`type: ${owner}\``;
}

interface Keyword {
  readonly schema: JsonSchema;
  readonly at: Path;
  readonly root: JsonSchema;
}

function keywordProblems(keyword: string, value: unknown, { schema, at, root }: Keyword): readonly ConfigProblem[] {
  switch (keyword) {
    case 'properties':
    case '$defs':
      if (!isSchema(value)) return [problem(at, `"${keyword}" is a mapping of names to schemas`)];
      return Object.entries(value).flatMap(([name, field]) => problemsOf(field, [...at, name], root));
    case 'items':
      return problemsOf(value, at, root);
    case 'additionalProperties':
      return typeof value === 'boolean' ? [] : problemsOf(value, at, root);
    case 'anyOf':
      if (!Array.isArray(value) || value.length === 0) return [problem(at, '"anyOf" is a list of schemas')];
      return value.flatMap((one, index) => problemsOf(one, [...at, index], root));
    case '$ref':
      return referenceProblems(value, at, root);
    case 'required':
      return requiredProblems(value, schema, at);
    case 'pattern':
      return patternProblems(value, at);
    default:
      return valueProblems(keyword, value, at);
  }
}

function valueProblems(keyword: string, value: unknown, at: Path): readonly ConfigProblem[] {
  const { error } = valueKeywords[keyword as keyof typeof valueKeywords].safeParse(value);
  const names = keyword === 'type' ? typeNames : keyword === 'format' ? Object.keys(textFormats) : [];
  const hint =
    names.length === 0 ? undefined : (didYouMean(String(value), names) ?? `Write one of ${names.join(', ')}.`);
  return error === undefined ? [] : [problem(at, `${JSON.stringify(value)} is no value of "${keyword}"`, hint)];
}

function patternProblems(value: unknown, at: Path): readonly ConfigProblem[] {
  if (typeof value !== 'string') return valueProblems('pattern', value, at);
  const reason = patternProblem(value);
  return reason === undefined ? [] : [problem(at, `The pattern ${reason}`)];
}

function requiredProblems(value: unknown, { properties }: JsonSchema, at: Path): readonly ConfigProblem[] {
  const { data } = valueKeywords.required.safeParse(value);
  if (data === undefined) return valueProblems('required', value, at);
  const names = isSchema(properties) ? Object.keys(properties) : [];
  return data.flatMap((name, index) =>
    names.includes(name)
      ? []
      : [problem([...at, index], `"${name}" is required, but it is not among the properties`, didYouMean(name, names))],
  );
}

function referenceProblems(value: unknown, at: Path, root: JsonSchema): readonly ConfigProblem[] {
  if (definitionAt(root, value) === undefined) {
    const names = isSchema(root['$defs']) ? Object.keys(root['$defs']).map((name) => `#/$defs/${name}`) : [];
    return [problem(at, `There is no schema at ${JSON.stringify(value)}`, didYouMean(String(value), names))];
  }
  return isCircular(root, value) ? [problem(at, `The reference ${JSON.stringify(value)} leads to itself`)] : [];
}

/** Returns whether a reference leads back to itself, through references and alternatives only. */
function isCircular(root: JsonSchema, reference: unknown): boolean {
  const reached = new Set(directReferences(definitionAt(root, reference)));
  // A set may grow while it is iterated: what is added is visited as well.
  for (const next of reached) for (const inner of directReferences(definitionAt(root, next))) reached.add(inner);
  return reached.has(reference);
}

function directReferences(schema: JsonSchema | undefined): readonly unknown[] {
  const { anyOf, $ref: reference } = schema ?? {};
  const inner = Array.isArray(anyOf) ? anyOf.filter(isSchema).flatMap(directReferences) : [];
  return reference === undefined ? inner : [reference, ...inner];
}

/** Returns the schemas of which a value has to match one: those of references and alternatives, the schema itself otherwise. */
export function alternativesOf(schema: JsonSchema, root: JsonSchema): readonly JsonSchema[] {
  const reached = new Set([schema]);
  for (const { anyOf, $ref: reference } of reached) {
    if (reference !== undefined) reached.add(definitionAt(root, reference) ?? {});
    else if (Array.isArray(anyOf)) for (const one of anyOf) reached.add(one);
  }
  return [...reached].filter((one) => !('$ref' in one) && !('anyOf' in one));
}

/** Returns whether every value of a schema is an object. */
const isObjectSchema = (schema: JsonSchema, root: JsonSchema): boolean =>
  alternativesOf(schema, root).every(({ type }) => type === 'object');

/** Returns whether null is a value of a schema. */
export const acceptsNull = (schema: JsonSchema, root: JsonSchema): boolean =>
  alternativesOf(schema, root).some((one) => {
    if ('const' in one) return one['const'] === null;
    const { enum: choices } = one;
    const types = typesOf(one);
    return Array.isArray(choices) ? choices.includes(null) : types.length === 0 || types.includes('null');
  });
