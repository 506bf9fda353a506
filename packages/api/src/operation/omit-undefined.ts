/** An object without what is not given. */
export type WithoutUndefined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The same object without the fields that are undefined, as exact optional fields want it. */
export function omitUndefined<T extends object>(fields: T): WithoutUndefined<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as WithoutUndefined<T>; // the fields of T that are there
}
