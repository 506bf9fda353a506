import * as api from '@millrace/api';
import { z } from 'zod';

/** Side of a schema: `input` is what callers write, `output` what is parsed. */
export type Side = 'input' | 'output';

/** Prints schemas as types of TypeScript; those that have a name become types of their own. */
export interface SchemaPrinter {
  print(schema: z.ZodType, side: Side): string;
  /** Returns the lines of the fields of an object, with their descriptions. */
  fields(schema: z.ZodObject, side: Side): readonly string[];
  /** Returns the named types that were printed, by their names. */
  readonly declarations: ReadonlyMap<string, string>;
}

type Definition = z.core.$ZodTypes['_zod']['def'];

/** All schemas of zod are among those whose definitions are known. */
const definitionOf = (schema: z.ZodType): Definition => (schema as unknown as z.core.$ZodTypes)._zod.def;

/** Names of exported schemas, for those that the OpenAPI document does not name. */
const exported = new Map<unknown, string>(
  Object.entries(api).flatMap(([name, value]) =>
    value instanceof z.ZodType ? [value, inside(value)].map((schema) => [schema, name] as const) : [],
  ),
);

/** Makes a printer that has printed nothing yet. It throws for schemas that no plain type describes. */
export function createPrinter(): SchemaPrinter {
  const declarations = new Map<string, string>();
  const sides = new Map<string, Side>();

  function print(schema: z.ZodType, side: Side): string {
    const name = nameOf(schema);
    if (name === undefined || !isNamed(schema)) return printed(schema, side);
    if (!declarations.has(name)) {
      declarations.set(name, '');
      sides.set(name, side);
      declarations.set(name, printed(schema, side));
    }
    if (sides.get(name) !== side && declarations.get(name) !== printed(schema, side)) {
      throw new Error(`${name} differs between requests and responses: give it two names.`);
    }
    return name;
  }

  function printed(schema: z.ZodType, side: Side): string {
    const def = definitionOf(schema);
    if (def.type === 'object')
      return `{\n${fields(schema as z.ZodObject, side)
        .map(indented)
        .join('\n')}\n}`;
    const simple = simpleType(def, side);
    if (simple !== undefined) return simple;
    const inner = (one: z.core.$ZodType) => print(one as z.ZodType, side);
    switch (def.type) {
      case 'array':
        return `${inParentheses(inner(def.element))}[]`;
      case 'record':
        return `Record<${inner(def.keyType)}, ${inner(def.valueType)}>`;
      case 'union':
        return def.options.map(inner).join(' | ');
      case 'nullable':
        return `${inner(def.innerType)} | null`;
      case 'optional':
        return `${inner(def.innerType)} | undefined`;
      case 'nonoptional':
        return inner(inside(def.innerType as z.ZodType));
      case 'default':
        return side === 'input' ? `${inner(def.innerType)} | undefined` : inner(def.innerType);
      case 'pipe':
        return inner(side === 'input' ? def.in : def.out);
      case 'custom':
        if (z.globalRegistry.get(schema)?.['type'] === 'string') return 'string';
    }
    throw new Error(`No plain type describes the ${side} of a schema of the type "${def.type}".`);
  }

  function fields(schema: z.ZodObject, side: Side): readonly string[] {
    const { catchall } = schema._zod.def;
    const lines = Object.entries(schema.shape).flatMap(([name, field]) => {
      const type = field as z.ZodType; // shapes hold schemas
      const { optin, optout } = type._zod;
      const mark = (side === 'input' ? optin : optout) === undefined ? '' : '?';
      const key = /^\w+$/.test(name) ? name : `'${name}'`;
      return [...comment(descriptionOf(type)), `${key}${mark}: ${print(type, side)};`];
    });
    return catchall?._zod.def.type === 'unknown' ? [...lines, '[key: string]: unknown;'] : lines;
  }

  return { print, fields, declarations };
}

function simpleType(def: Definition, side: Side): string | undefined {
  switch (def.type) {
    case 'string':
    case 'boolean':
    case 'unknown':
    case 'undefined':
      return def.type;
    case 'number':
      return side === 'input' && 'coerce' in def && def.coerce === true ? 'number | string' : 'number';
    case 'literal':
      return def.values.map((value) => quoted(value)).join(' | ');
    case 'enum':
      return Object.values(def.entries).map(quoted).join(' | ');
    default:
      return undefined;
  }
}

/** Returns the lines of a documentation comment. */
export const comment = (text: string | undefined): readonly string[] => (text === undefined ? [] : [`/** ${text} */`]);

/** Indents all lines of a text. */
export const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');

const quoted = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));

const inParentheses = (type: string): string => (/^[^{]* \| /.test(type) ? `(${type})` : type);

/** Objects have their names as types, and so do unions of objects. */
const isNamed = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodObject || schema instanceof z.ZodDiscriminatedUnion;

/** Returns the schema without what says that it may be missing. */
export function inside(schema: z.ZodType): z.ZodType {
  const def = definitionOf(schema);
  return def.type === 'optional' || def.type === 'nullable' ? inside(def.innerType as z.ZodType) : schema;
}

/** Returns the name of a schema, or of the one that it describes or refines. */
function nameOf(schema: z.core.$ZodType): string | undefined {
  const named = z.globalRegistry._map.get(schema as z.ZodType)?.id ?? exported.get(schema);
  const { parent } = schema._zod;
  return named ?? (parent === undefined ? undefined : nameOf(parent));
}

/** Returns the description of a field, or of the schema that it makes optional; named types have their own. */
function descriptionOf(schema: z.ZodType): string | undefined {
  const def = definitionOf(schema);
  const own = z.globalRegistry.get(schema)?.description;
  if (own !== undefined || !('innerType' in def)) return own;
  return descriptionOf(def.innerType as z.ZodType);
}
