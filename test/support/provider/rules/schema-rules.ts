import type { Json } from '../turn.ts';
import { isObject, objectOf } from '../turn.ts';

/** What a vendor accepts in the schema of an answer. */
export interface SchemaRules {
  readonly keywords: readonly string[];
  /** Every field of an object is required, and every part has a type. */
  readonly allRequired: boolean;
}

/** A part of a schema that a vendor does not accept, and where it is. */
export interface SchemaFlaw {
  readonly context: readonly string[];
  readonly text: string;
}

/** Returns the first part of a schema that breaks the rules; an object must say that it has no other fields. */
export function schemaFlaw(
  schema: unknown,
  rules: SchemaRules,
  context: readonly string[] = [],
): SchemaFlaw | undefined {
  if (!isObject(schema)) return { context, text: 'schema must be an object' };
  const unknown = Object.keys(schema).find((keyword) => !rules.keywords.includes(keyword));
  if (unknown !== undefined) return { context, text: `'${unknown}' is not permitted` };
  const hasType = ['type', 'anyOf', '$ref'].some((keyword) => keyword in schema);
  if (rules.allRequired && !hasType) return { context, text: "schema must have a 'type' key" };
  const types = [schema['type']].flat();
  return (
    (types.includes('object') ? fieldsFlaw(schema, rules, context) : undefined) ?? innerFlaw(schema, rules, context)
  );
}

function fieldsFlaw(schema: Json, { allRequired }: SchemaRules, context: readonly string[]): SchemaFlaw | undefined {
  if (schema['additionalProperties'] !== false)
    return { context, text: "'additionalProperties' is required to be supplied and to be false" };
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const absent = Object.keys(objectOf(schema['properties'])).find((name) => !required.includes(name));
  return allRequired && absent !== undefined
    ? { context, text: `'required' is required to include every key in properties. Missing '${absent}'` }
    : undefined;
}

function innerFlaw(schema: Json, rules: SchemaRules, context: readonly string[]): SchemaFlaw | undefined {
  const named = ['properties', '$defs'].flatMap((keyword) =>
    Object.entries(objectOf(schema[keyword])).map(([name, inner]) => [[...context, keyword, name], inner] as const),
  );
  const listed = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [];
  const inner = [
    ...named,
    ...listed.map((one, at) => [[...context, 'anyOf', String(at)], one] as const),
    ...('items' in schema ? [[[...context, 'items'], schema['items']] as const] : []),
  ];
  return inner.map(([place, one]) => schemaFlaw(one, rules, place)).find((flaw) => flaw !== undefined);
}

const core = [
  'type',
  'enum',
  'const',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  '$ref',
  '$defs',
];
const words = ['title', 'description'];
const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems'];

/** The subsets of JSON Schema that vendors document for answers. */
export const schemaRules = {
  openai: { keywords: [...core, ...words, ...bounds, 'pattern', 'format'], allRequired: true },
  anthropic: { keywords: [...core, ...words, 'format', 'default'], allRequired: false },
  gemini: { keywords: [...core, ...words, 'format', 'minimum', 'maximum', 'minItems', 'maxItems'], allRequired: false },
} as const satisfies Record<string, SchemaRules>;
