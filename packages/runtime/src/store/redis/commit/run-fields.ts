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

/** Returns the fields that a new record of a run changes in the state hash. */
export function runFields(record: RunRecord, before?: RunRecord): Readonly<Record<string, string>> {
  const counts = JSON.stringify(counted.map((name) => record[name]));
  if (before !== undefined && hasSameRest(before, record)) return { [countsField]: counts };
  const rest = Object.fromEntries(Object.entries(record).filter(([name]) => !isCounted.has(name)));
  return { run: JSON.stringify(rest), [countsField]: counts };
}

/** Returns the record of a run from its fields. A build of format 2 wrote it as one field. */
export function runFromFields(run: string, counts: string | undefined): RunRecord {
  const rest = JSON.parse(run) as RunRecord; // written by runFields
  if (counts === undefined) return rest;
  const numbers = JSON.parse(counts) as number[]; // likewise
  return { ...rest, ...Object.fromEntries(counted.map((name, at) => [name, numbers[at]])) };
}

function hasSameRest(before: RunRecord, record: RunRecord): boolean {
  const names = Object.keys(record) as (keyof RunRecord)[];
  return (
    names.length === Object.keys(before).length &&
    names.every((name) => isCounted.has(name) || record[name] === before[name])
  );
}
