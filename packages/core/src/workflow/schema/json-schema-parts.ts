import { z } from 'zod';
import { isMapping } from '../document/mapping.ts';

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Refers to a definition of the document's schema. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });

/** The same, or null where it is left empty. */
export const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [{ type: 'null' }, schema] });

/** The schema of what authors write; what a definition computes from it has no place in a document. */
export function inputSchemaOf(schema: z.ZodType<unknown>): JsonSchema {
  const {
    $schema: _same,
    additionalProperties: _read,
    ...rest
  } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
  });
  return rest;
}

/** The same schema of a mapping, in which these fields look like this and these are required; descriptions stay. */
export function withFields(schema: JsonSchema, fields: JsonSchema, required: readonly string[]): JsonSchema {
  const before = isMapping(schema.properties) ? schema.properties : {};
  const described = Object.entries(fields).map(([name, field]) => {
    const description = isMapping(before[name]) ? before[name].description : undefined;
    return [name, description === undefined ? field : { description, ...(field as JsonSchema) }];
  });
  return { ...schema, properties: { ...before, ...Object.fromEntries(described) }, required };
}
