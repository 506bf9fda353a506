/** An object without its undefined fields: fields that can be undefined become optional, all others are kept. */
export type WithoutUndefined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Returns a copy of a plain object without its undefined fields, as types with exact optional fields require. */
export function omitUndefined<const T extends object>(fields: T): WithoutUndefined<T> {
  // A list of entries would take four times the memory.
  const kept: Record<string, unknown> = {};
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name];
  return kept as WithoutUndefined<T>; // the fields of `fields` that remain
}
