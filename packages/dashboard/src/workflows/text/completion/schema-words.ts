import type { Schema } from './schema-walk.ts';
import { isSchema } from './schema-walk.ts';

/** A word that can be written at a place, with its meaning. */
export interface SchemaWord {
  readonly word: string;
  readonly description?: string;
  readonly isRequired?: true;
}

/** Returns the names of the fields that schemas know, the required ones first. */
export function fieldsOf(schemas: readonly Schema[]): readonly SchemaWord[] {
  const required = new Set(schemas.flatMap((schema) => listOf(schema['required'])));
  const found = new Map<string, SchemaWord>();
  for (const { properties } of schemas) {
    if (!isSchema(properties)) continue;
    for (const [word, field] of Object.entries(properties)) {
      const described = { word, ...descriptionIn(field), ...(required.has(word) ? { isRequired: true as const } : {}) };
      if (found.get(word)?.description === undefined) found.set(word, described);
    }
  }
  return [...found.values()].sort((a, b) => Number(b.isRequired ?? false) - Number(a.isRequired ?? false));
}

/** Returns the values that schemas name: choices, constants, and true and false. */
export function valuesOf(schemas: readonly Schema[]): readonly SchemaWord[] {
  const found = new Map<string, SchemaWord>();
  for (const one of schemas.flatMap(valuesIn))
    if (found.get(one.word)?.description === undefined) found.set(one.word, one);
  return [...found.values()];
}

function valuesIn(schema: Schema): readonly SchemaWord[] {
  const booleans = listOf(schema['type']).includes('boolean') ? [true, false] : [];
  const isScalar = (value: unknown) => value !== null && typeof value !== 'object';
  return [
    ...[...listOf(schema['enum']), ...booleans].filter(isScalar).map((value) => ({ word: String(value) })),
    ...listOf(schema['const'])
      .filter(isScalar)
      .map((value) => ({ word: String(value), ...descriptionIn(schema) })),
  ];
}

/** Returns the documentation of a place in its schemas: description, type and default. */
export function explanationOf(schemas: readonly Schema[]): readonly string[] {
  const descriptions = schemas.flatMap((schema) =>
    typeof schema['description'] === 'string' ? [schema['description']] : [],
  );
  const [first] = descriptions;
  const types = [...new Set(schemas.flatMap((schema) => listOf(schema['type'])))].filter((type) => type !== 'null');
  const fallback = schemas.find((schema) => schema['default'] !== undefined)?.['default'];
  return [
    ...(first === undefined ? [] : [first]),
    ...(types.length === 0 ? [] : [`Type: ${types.join(' or ')}`]),
    ...(fallback === undefined ? [] : [`Default: ${JSON.stringify(fallback)}`]),
  ];
}

const descriptionIn = (schema: unknown): { description?: string } =>
  isSchema(schema) && typeof schema['description'] === 'string' ? { description: schema['description'] } : {};

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? [...value] : value === undefined ? [] : [value]);
