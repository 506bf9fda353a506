/**
 * How the original engine reads scalars of the wrong type: with Python's own conversions. A value that Python would
 * refuse is returned as it is, for the schema to refuse.
 */
type Reading = (value: unknown) => unknown;

/** `int(value)`: fractions are cut off, and whole numbers may be quoted. */
export const pythonInt: Reading = (value) => {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') return Math.trunc(value);
  return typeof value === 'string' && /^\s*[+-]?\d+(_\d+)*\s*$/.test(value) ? Number(value.replaceAll('_', '')) : value;
};

/** `float(value)`: numbers may be quoted. */
export const pythonFloat: Reading = (value) => {
  if (typeof value === 'boolean') return Number(value);
  const quoted = typeof value === 'string' && /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value);
  return quoted ? Number(value) : value;
};

/** `bool(value)`: everything is true but nothing, zero and what is empty. */
export const pythonBool: Reading = (value) => {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
};

/** A copy in which the named fields, where they are written, are read in these ways. */
export const readAs = (
  written: Readonly<Record<string, unknown>>,
  readings: Readonly<Record<string, Reading>>,
): Readonly<Record<string, unknown>> => {
  const read = Object.entries(readings).filter(([key]) => Object.hasOwn(written, key));
  return { ...written, ...Object.fromEntries(read.map(([key, reading]) => [key, reading(written[key])])) };
};
