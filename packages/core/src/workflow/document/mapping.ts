import { Timestamp } from './timestamp.ts';

/** A YAML mapping as plain values; dates and lists are not. */
export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Timestamp);

/** A copy of a mapping with every value changed. */
export const mapEntries = (
  mapping: Readonly<Record<string, unknown>>,
  change: (key: string, value: unknown) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(mapping).map(([key, value]) => [key, change(key, value)]));

/** A list as written: nothing is an empty list, and a single value stands for a list of one. */
export function toList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}
