import type { ActivationRecord, RecordKey, RunRecord, ScopeRecord } from '@millrace/core';
import { noModelUsage, rootScope } from '@millrace/core';

/*
 * Records of a run as the fields of its state hash have them. Nearly every commit writes some of them, so that what is usual is
 * omitted, and what changes often is apart from the rest.
 */

type StoredActivation = {
  readonly [Name in keyof ActivationRecord]: Name extends 'scope' | 'part' | 'attempt'
    ? ActivationRecord[Name] | undefined
    : ActivationRecord[Name];
};
type CycleScope = Extract<ScopeRecord, { type: 'cycle' }>;
type StoredCycle = {
  readonly [Name in keyof CycleScope]: Name extends keyof typeof usualCycle
    ? CycleScope[Name] | undefined
    : CycleScope[Name];
};

const isActivation = (key: RecordKey): boolean => key.startsWith('activation/');
const isScope = (key: RecordKey): boolean => key.startsWith('scope/');

/** Returns the field of a record, other than that of the run itself. */
export function textOfRecord(key: RecordKey, value: unknown): string {
  return JSON.stringify(storedRecord(key, value));
}

function storedRecord(key: RecordKey, value: unknown): unknown {
  // The key names the type.
  if (isActivation(key)) return storedActivation(value as ActivationRecord);
  if (isScope(key) && (value as ScopeRecord).type === 'cycle') return storedCycle(value as CycleScope);
  return value;
}

// JSON has no fields that are undefined.
const storedActivation = (record: ActivationRecord): StoredActivation => ({
  ...record,
  scope: record.scope === rootScope ? undefined : record.scope,
  part: record.part === 'whole' ? undefined : record.part,
  attempt: record.attempt === 0 ? undefined : record.attempt,
});

/** What a cycle of the root graph has between two levels, before an edge leads out of it. */
const usualCycle = {
  graph: '',
  frame: rootScope,
  parent: rootScope,
  limit: null,
  dispatched: [],
  exits: [],
} as const satisfies Partial<CycleScope>;

const storedCycle = (record: CycleScope): StoredCycle => ({
  ...record,
  graph: record.graph === '' ? undefined : record.graph,
  frame: record.frame === rootScope ? undefined : record.frame,
  parent: record.parent === rootScope ? undefined : record.parent,
  limit: record.limit === null ? undefined : record.limit,
  dispatched: record.dispatched.length === 0 ? undefined : record.dispatched,
  exits: record.exits.length === 0 ? undefined : record.exits,
});

/** Parses the result of {@link textOfRecord}. */
export function recordFromText(key: RecordKey, text: string): unknown {
  const value = JSON.parse(text);
  if (isActivation(key)) return { scope: rootScope, part: 'whole', attempt: 0, ...value };
  return isScope(key) && value.type === 'cycle' ? { ...usualCycle, ...value } : value;
}

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

const isApart: ReadonlySet<string> = new Set([...counted, 'usage']);

/** Fields of the state hash that have the record of a run: the rest of it, those numbers, and its usage, absent without any. */
export type RunField = 'run' | 'counts' | 'usage';

/** Returns whether a field has a part of the record of a run. */
export const isRunField = (field: string): field is RunField =>
  field === 'run' || field === 'counts' || field === 'usage';

/** Returns the value of the field with the numbers that are counted. */
export const countsOf = (record: RunRecord): string => JSON.stringify(counted.map((name) => record[name]));

/** Returns the value of the field with the usage; null: none. */
export function usageOf({ usage }: RunRecord): string | null {
  const text = JSON.stringify(usage);
  return text === noUsage ? null : text;
}

const noUsage = JSON.stringify(noModelUsage);

/** Returns the value of the field with the rest. */
export const restOf = (record: RunRecord): string =>
  JSON.stringify(Object.fromEntries(Object.entries(record).filter(([name]) => !isApart.has(name))));

/** Returns whether the field with the rest is the same for two records. */
export function hasSameRest(before: RunRecord, record: RunRecord): boolean {
  // Number of fields that only the first record has, or with a minus, that only the second one has.
  let surplus = 0;
  for (const name in record) {
    if (!isApart.has(name) && Reflect.get(record, name) !== Reflect.get(before, name)) return false;
    surplus += 1;
  }
  for (const _name in before) surplus -= 1;
  return surplus === 0;
}

/** Returns the record of a run from its fields; undefined where there is none. */
export function runFromFields(
  fields: { readonly [Field in RunField]?: string | null | undefined },
): RunRecord | undefined {
  if (fields.run == null || fields.counts == null) return undefined;
  const rest = JSON.parse(fields.run) as RunRecord; // written by restOf
  const numbers = JSON.parse(fields.counts) as number[]; // written by countsOf
  const usage = fields.usage == null ? noModelUsage : JSON.parse(fields.usage); // written by usageOf
  return { ...rest, ...Object.fromEntries(counted.map((name, at) => [name, numbers[at]])), usage };
}
