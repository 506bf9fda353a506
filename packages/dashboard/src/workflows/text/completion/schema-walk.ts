/** A JSON Schema, limited to the keywords that are read. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

/** Place in a document: names of fields and indices of items. */
export type DocumentPath = readonly (string | number)[];

/** Returns the schemas that apply to a place of a document; the values there decide which branches apply. */
export function schemasAt(root: Schema, path: DocumentPath, value: unknown): readonly Schema[] {
  let schemas = expanded(root, { root, value });
  let inner = value;
  for (const step of path) {
    inner = childOf(inner, step);
    schemas = schemas
      .flatMap((schema) => childrenOf(schema, step))
      .flatMap((one) => expanded(one, { root, value: inner }));
  }
  return schemas;
}

interface Expansion {
  readonly root: Schema;
  readonly value: unknown;
}

/** Depth of references above which a schema is taken to refer to itself. */
const deepest = 12;

/** Returns a schema with those that it consists of: references, parts, choices and conditions that hold. */
function expanded(schema: unknown, { root, value }: Expansion, depth = 0): readonly Schema[] {
  if (!isSchema(schema) || depth > deepest) return [];
  const more = (parts: unknown): readonly Schema[] =>
    list(parts).flatMap((part) => expanded(part, { root, value }, depth + 1));
  const choices = [...list(schema['anyOf']), ...list(schema['oneOf'])].filter((choice) => mayBe(choice, value));
  const isMet = schema['if'] === undefined || holds(schema['if'], value);
  return [
    schema,
    ...more(schema['$ref'] === undefined ? [] : [referredTo(schema['$ref'], root)]),
    ...more(schema['allOf']),
    ...more(choices),
    ...more(isMet ? [schema['then']] : [schema['else']]),
  ];
}

/** Tests if an incomplete value can become one of a choice. */
const mayBe = (schema: unknown, value: unknown): boolean =>
  !isSchema(schema) || !isSchema(value) || schema['type'] === undefined || list(schema['type']).includes('object');

/** Tests if a condition of the form `properties: {type: {const}}` holds. */
function holds(condition: unknown, value: unknown): boolean {
  if (!isSchema(condition) || !isSchema(value)) return false;
  const { properties } = condition;
  if (!list(condition['required']).every((name) => typeof name === 'string' && value[name] !== undefined)) return false;
  return Object.entries(isSchema(properties) ? properties : {}).every(([name, wanted]) => {
    if (!isSchema(wanted) || wanted['const'] === undefined) return true;
    return value[name] === wanted['const'];
  });
}

function childrenOf(schema: Schema, step: string | number): readonly unknown[] {
  if (typeof step === 'number') return [schema['items']];
  const { properties, additionalProperties } = schema;
  const own = isSchema(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined;
  return [own ?? additionalProperties];
}

function childOf(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return isSchema(value) && Object.hasOwn(value, step) ? value[String(step)] : undefined;
}

function referredTo(reference: unknown, root: Schema): unknown {
  const names = typeof reference === 'string' ? reference.replace(/^#\/?/, '').split('/') : [];
  return names.reduce((found: unknown, name) => (isSchema(found) ? found[name] : undefined), root);
}

const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

/** Tests if a value is a mapping. */
export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
