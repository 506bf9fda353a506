import type { RunRecord } from '@millrace/core';

/** Numbers of a run that nearly every commit changes; they have a field of their own, in this order. */
const counted = [
  'nextActivation',
  'nextMessage',
  'nextScope',
  'nextArrival',
  'live',
  'waiting',
  'activations',
] as const satisfies readonly (keyof RunRecord)[];

const isCounted: ReadonlySet<string> = new Set(counted);

/** Field of those numbers in the state hash. */
export const countsField = 'counts';

/** Returns the value of that field. */
export const countsOf = (record: RunRecord): string => JSON.stringify(counted.map((name) => record[name]));

/** Returns the value of the field with all that is not counted. */
export const restOf = (record: RunRecord): string =>
  JSON.stringify(Object.fromEntries(Object.entries(record).filter(([name]) => !isCounted.has(name))));

/** Returns the record of a run from its fields. */
export function runFromFields(run: string, counts: string): RunRecord {
  const rest = JSON.parse(run) as RunRecord; // written by restOf
  const numbers = JSON.parse(counts) as number[]; // written by countsOf
  return { ...rest, ...Object.fromEntries(counted.map((name, at) => [name, numbers[at]])) };
}

/** Returns whether two records of a run differ in nothing but those numbers. */
export function hasSameRest(before: RunRecord, record: RunRecord): boolean {
  // Number of fields that only the first record has, or with a minus, that only the second one has.
  let surplus = 0;
  for (const name in record) {
    if (!isCounted.has(name) && Reflect.get(record, name) !== Reflect.get(before, name)) return false;
    surplus += 1;
  }
  for (const _name in before) surplus -= 1;
  return surplus === 0;
}
