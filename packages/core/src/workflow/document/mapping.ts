import { Timestamp } from './scalars.ts';

/** Returns whether a value is a YAML mapping; dates and lists are not. */
export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Timestamp);

/** Returns a copy of a mapping with every value changed. */
export const mapEntries = (
  mapping: Readonly<Record<string, unknown>>,
  change: (key: string, value: unknown) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(mapping).map(([key, value]) => [key, change(key, value)]));

/** Returns a value as a list: nothing is an empty list, and a single value is a list of one. */
export function toList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}
