import type { JsonSchema } from '@millrace/core';
import { acceptsNull, isSchema } from './data-schema.ts';

/**
 * Returns a schema in the form that all providers accept for answers: objects have exactly their fields, all of which are
 * required, and one that may be absent may be null instead; other limits are words in the descriptions, for the model.
 * Undefined if there is no such form, as the object may have any fields.
 */
export function strictSchema(schema: JsonSchema): JsonSchema | undefined {
  if (schema['type'] !== 'object' || isOpen(schema)) return undefined;
  return strict(schema, schema);
}

/** Returns whether some part of the schema may be anything, or may have any fields. */
function isOpen(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isOpen);
  if (!isSchema(value)) return false;
  const { type, properties, additionalProperties: others } = value;
  if (isObjectType(type) && (!isSchema(properties) || (others !== undefined && others !== false))) return true;
  if (mayBe(type, 'array') && value['items'] === undefined) return true;
  if (choicesOf(value)?.some((choice) => typeof choice === 'object' && choice !== null)) return true;
  const hasNoType = !['type', 'enum', 'const', 'anyOf', '$ref'].some((name) => name in value);
  return hasNoType || innerOf(value).some(isOpen);
}

/** Returns the values of a schema that lists them. */
const choicesOf = (schema: JsonSchema): readonly unknown[] | undefined =>
  'const' in schema ? [schema['const']] : Array.isArray(schema['enum']) ? schema['enum'] : undefined;

/** Returns the type of listed values, which providers want to have written. */
function typeOfChoices(choices: readonly unknown[]): unknown {
  const types = choices.map((one) => (one === null ? 'null' : Number.isInteger(one) ? 'integer' : typeof one));
  // Every whole number is a number.
  const names = [...new Set(types)].filter((name) => name !== 'integer' || !types.includes('number'));
  return names.length === 1 ? names[0] : names;
}

const mayBe = (type: unknown, name: string): boolean => type === name || (Array.isArray(type) && type.includes(name));

const isObjectType = (type: unknown): boolean => mayBe(type, 'object');

/** Returns the schemas inside a schema. */
function innerOf({ properties, items, anyOf, $defs }: JsonSchema): readonly unknown[] {
  const named = [properties, $defs].flatMap((mapping) => (isSchema(mapping) ? Object.values(mapping) : []));
  return [...named, ...(items === undefined ? [] : [items]), ...(Array.isArray(anyOf) ? anyOf : [])];
}

/** Keywords that are kept; the values of the others are words. */
const kept = ['type', 'enum', 'items', 'anyOf', '$ref', 'properties', 'required', 'additionalProperties', '$defs'];
const unsaid = [...kept, 'const', 'description', 'title', 'default', 'examples', '$comment', '$schema'];

function strict(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const { items, anyOf, $ref, $defs, description, title } = schema;
  const choices = choicesOf(schema);
  const type = schema['type'] ?? (choices && typeOfChoices(choices));
  const limits = Object.entries(schema).flatMap(([name, value]) =>
    unsaid.includes(name) ? [] : [`${name}: ${JSON.stringify(value)}`],
  );
  const words = [description ?? title, limits.length === 0 ? undefined : `(${limits.join(', ')})`].filter(Boolean);
  return {
    ...(type === undefined ? {} : { type }),
    ...(choices === undefined ? {} : { enum: choices }),
    ...(isSchema(items) ? { items: strict(items, root) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map((one) => strict(one, root)) } : {}),
    ...($ref === undefined ? {} : { $ref }),
    ...(isObjectType(type) ? strictFields(schema, root) : {}),
    ...(isSchema($defs) ? { $defs: mapped($defs, (one) => strict(one, root)) } : {}),
    // A reference stands alone.
    ...(words.length === 0 || $ref !== undefined ? {} : { description: words.join(' ') }),
  };
}

function strictFields({ properties, required }: JsonSchema, root: JsonSchema): JsonSchema {
  const fields = isSchema(properties) ? properties : {};
  const needed = new Set(Array.isArray(required) ? required : []);
  return {
    properties: mapped(fields, (field, name) => {
      const value = strict(field, root);
      return needed.has(name) || acceptsNull(field, root) ? value : { anyOf: [value, { type: 'null' }] };
    }),
    required: Object.keys(fields),
    additionalProperties: false,
  };
}

const mapped = (mapping: JsonSchema, change: (value: JsonSchema, name: string) => JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(mapping).map(([name, value]) => [name, isSchema(value) ? change(value, name) : {}]),
  );
