import type { z } from 'zod';
import { isMapping } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';

/** A key that the schema does not know, with the keys that it knows. */
export interface UnknownKey {
  readonly path: Path;
  readonly known: readonly string[];
}

/** Returns the keys of `value`, at any depth, that its schema ignores. */
export function unknownKeys(schema: z.core.$ZodType, value: unknown, path: Path): readonly UnknownKey[] {
  // zod creates only schemas of this union; the base type hides which one.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return ofObject(def, value, path);
    case 'array':
      if (!Array.isArray(value)) return [];
      return value.flatMap((entry, index) => unknownKeys(def.element, entry, [...path, index]));
    case 'record':
      if (!isMapping(value)) return [];
      return Object.entries(value).flatMap(([key, entry]) => unknownKeys(def.valueType, entry, [...path, key]));
    case 'union':
      return ofUnion(def.options, value, path);
    case 'pipe': {
      const first = (def.in as z.core.$ZodTypes)._zod.def.type === 'transform' ? def.out : def.in;
      return unknownKeys(first, value, path);
    }
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return unknownKeys(def.innerType, value, path);
    case 'lazy':
      return unknownKeys(def.getter(), value, path);
    default:
      return [];
  }
}

function ofObject(def: z.core.$ZodObjectDef, value: unknown, path: Path): readonly UnknownKey[] {
  if (!isMapping(value)) return [];
  const known = Object.keys(def.shape);
  return Object.entries(value).flatMap(([key, entry]) => {
    const field = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
    if (field !== undefined) return unknownKeys(field, entry, [...path, key]);
    // With a catchall every key is parsed; without one, strict objects report the key themselves.
    return def.catchall === undefined ? [{ path: [...path, key], known }] : [];
  });
}

/** Returns the ignored keys of the alternative that accepts the value; of several, the one that knows most keys. */
function ofUnion(options: readonly z.core.$ZodType[], value: unknown, path: Path): readonly UnknownKey[] {
  if (!isMapping(value) && !Array.isArray(value)) return [];
  let fewest: readonly UnknownKey[] | undefined;
  for (const option of options) {
    const { issues } = option._zod.run({ value, issues: [] }, { async: false }) as z.core.ParsePayload;
    if (issues.length > 0) continue;
    const unknown = unknownKeys(option, value, path);
    if (fewest === undefined || unknown.length < fewest.length) fewest = unknown;
  }
  return fewest ?? [];
}
