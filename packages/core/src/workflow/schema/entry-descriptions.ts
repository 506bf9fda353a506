import { isMapping, mapEntries } from '../document/mapping.ts';
import type { JsonSchema } from './json-schema-parts.ts';

const alternatives = new Set(['anyOf', 'oneOf', 'allOf']);
const entries = new Set(['items', 'additionalProperties']);
const branches = new Set(['if', 'then']);
const named = new Set(['properties', '$defs']);

/** Gives entries of lists and values of mappings the description of their list, where they have none of their own. */
export function withEntryDescriptions(schema: JsonSchema, inherited?: unknown): JsonSchema {
  const description = schema['description'] ?? inherited;
  const within = (value: unknown) => (isMapping(value) ? withEntryDescriptions(value, description) : value);
  return mapEntries(schema, (key, value) => {
    if (alternatives.has(key) && Array.isArray(value)) return value.map(within);
    if (!isMapping(value)) return value;
    // The names of fields are no keywords.
    if (named.has(key)) return mapEntries(value, (_name, field) => described(field));
    if (entries.has(key)) return described(value, description);
    return branches.has(key) ? withEntryDescriptions(value) : value;
  });
}

function described(part: unknown, description?: unknown): unknown {
  if (!isMapping(part)) return part;
  const own = description === undefined || '$ref' in part ? part : { description, ...part };
  return withEntryDescriptions(own);
}
