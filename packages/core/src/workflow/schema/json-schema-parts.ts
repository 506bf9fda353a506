import { z } from 'zod';
import { isMapping } from '../document/mapping.ts';

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Returns a reference to a definition of the document's schema. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });

/** Returns a schema with a description for people. */
export const described = (description: string, schema: JsonSchema): JsonSchema => ({ description, ...schema });

/** Returns a schema that also accepts null. */
export const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [{ type: 'null' }, schema] });

/** Returns the schema of the input that authors write, without the output that a definition computes from it. */
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

/** Returns the schema of a mapping with these fields replaced and these required; descriptions are kept. */
export function withFields(schema: JsonSchema, fields: JsonSchema, required: readonly string[]): JsonSchema {
  const before = isMapping(schema.properties) ? schema.properties : {};
  const described = Object.entries(fields).map(([name, field]) => {
    const description = isMapping(before[name]) ? before[name].description : undefined;
    return [name, description === undefined ? field : { description, ...(field as JsonSchema) }];
  });
  return { ...schema, properties: { ...before, ...Object.fromEntries(described) }, required };
}
