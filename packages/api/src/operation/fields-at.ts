import type { z } from 'zod';

/** The parts of schemas that contain others. */
interface Parts {
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly in?: z.ZodType;
  unwrap?(): z.ZodType;
}

/** Returns the names of the fields that a value may have at a place in it, by its schema. */
export function fieldsAt(schema: z.ZodType, path: readonly string[]): readonly string[] {
  const { shape, element, valueType, options, in: input, unwrap }: Parts = schema as Parts; // absent where a kind has none
  if (options !== undefined) return options.flatMap((one) => fieldsAt(one, path));
  const [key, ...rest] = path;
  if (shape !== undefined) {
    if (key === undefined) return Object.keys(shape);
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
    return field === undefined ? [] : fieldsAt(field, rest);
  }
  const inner = element ?? valueType;
  if (inner !== undefined) return key === undefined ? [] : fieldsAt(inner, rest);
  const wrapped = input ?? unwrap?.call(schema);
  return wrapped === undefined ? [] : fieldsAt(wrapped, path);
}
