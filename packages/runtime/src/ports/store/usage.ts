import type { TenantId } from '@millrace/core';
import { tokensOf, usageMeasures } from '@millrace/core';

/*
 * Usage by day: how many calls of models there were, what they used, and how runs ended, for each workflow and model of a
 * tenant. A commit that contains such events changes the numbers in the same atomic step, so each event counts exactly once
 * whatever crashes. A call counts on the day when it returned, and a run on the day of its end; days are of UTC.
 */

/**
 * One of {@link usageMeasures}. `budgetStopped`: part of `terminated`. `lostTokens`, `lostMicroUsd`: reservations of calls
 * whose outcome will never be known; they are not in the usage of calls.
 */
export type UsageMeasure = (typeof usageMeasures)[number];

/** Number of completed runs whose duration is in a bucket. */
type DurationMeasure = `took${number}`;

/** Days for which usage is kept. */
export const usageDays = 400;
/** Number of numbers of one day from which the smallest rows are added up in one. */
export const mostNumbers = 1500;
/** Number of rows that remain then. */
const rowsKept = 100;
/** Maximum number of characters of a name; longer names are cut. */
const nameCharacters = 200;

/** Change of one number. */
export interface UsageCount {
  /** `YYYY-MM-DD` in UTC. */
  readonly day: string;
  readonly field: string;
  readonly by: number;
}

/** Numbers of one workflow and model on one day. */
export interface UsageRow {
  /** Empty in the row of everything beside the largest rows. */
  readonly workflow: string;
  /** Empty in rows of runs. */
  readonly model: string;
  readonly numbers: Readonly<Partial<Record<UsageMeasure, number>>>;
  /** Number of completed runs by how long they took, in the buckets of `durationBucket`; absent without any. */
  readonly durations?: ReadonlyMap<number, number>;
}

/** Usage by day in a store. Commits change it. */
export interface UsageByDay {
  /** Returns the rows of a tenant for each of these days. */
  read(tenant: TenantId, days: readonly string[]): Promise<readonly (readonly UsageRow[])[]>;
  /** Returns the tenants whose last usage was on this day or later, in the order of their names. */
  tenants(since: string): Promise<readonly TenantId[]>;
  /** Adds up the smallest rows of the last days where there are too many, and forgets tenants without usage. */
  condense(today: string): Promise<void>;
}

/** Returns the day of a time, in milliseconds since 1970. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Returns the start of a day, in milliseconds since 1970. */
export const startOfDay = (day: string): number => Date.parse(day);

export const dayMs = 24 * 60 * 60 * 1000;

/** Returns the day that is so many days before another one. */
export const daysBefore = (day: string, days: number): string => dayOf(startOfDay(day) - days * dayMs);

/** Returns the name of a number: `<workflow>/<model>/<measure>`, with names as in URLs. */
export const usageField = (workflow: string, model: string, measure: UsageMeasure | DurationMeasure): string =>
  `${encoded(workflow)}/${encoded(model)}/${measure}`;

/** Names that are their own encoding, as nearly all are. */
const plainName = new RegExp(`^[\\w.~-]{0,${nameCharacters}}$`);

/** Halves of characters have no encoding. */
const encoded = (name: string): string => (plainName.test(name) ? name : encodedCharacters(name));

const encodedCharacters = (name: string): string =>
  encodeURIComponent(
    [...name.slice(0, 2 * nameCharacters)]
      .slice(0, nameCharacters)
      .join('')
      .replace(/\p{Cs}/gu, '�'),
  );

interface RowInProgress {
  readonly workflow: string;
  readonly model: string;
  readonly numbers: Partial<Record<UsageMeasure, number>>;
  durations?: Map<number, number>;
}

/** Returns the rows that numbers by their names make up. */
export function usageRows(numbers: Iterable<readonly [field: string, value: number]>): readonly UsageRow[] {
  const rows = new Map<string, RowInProgress>();
  for (const [field, value] of numbers) {
    const [workflow = '', model = '', measure] = field.split('/');
    const place = `${workflow}/${model}`;
    const row: RowInProgress = rows.get(place) ?? {
      workflow: decodeURIComponent(workflow),
      model: decodeURIComponent(model),
      numbers: {},
    };
    const bucket = /^took(\d+)$/.exec(measure ?? '')?.[1];
    if (bucket === undefined)
      row.numbers[measure as UsageMeasure] = value; // as usageField writes it
    else row.durations = new Map(row.durations).set(Number(bucket), value);
    rows.set(place, row);
  }
  return [...rows.values()];
}

/** Returns the names of the numbers that are to be added up in the row of everything else. */
export function smallFields(numbers: ReadonlyMap<string, number>): readonly string[] {
  if (numbers.size <= mostNumbers) return [];
  const rows = usageRows(numbers).filter(({ workflow, model }) => workflow !== '' || model !== '');
  const cost = ({ numbers }: UsageRow): number => (numbers.microUsd ?? 0) * 1e6 + tokensOf(numbers);
  // The runs of a workflow stay as long as its largest model does.
  const largest = new Map<string, number>();
  for (const row of rows) largest.set(row.workflow, Math.max(largest.get(row.workflow) ?? 0, cost(row)));
  const weight = (row: UsageRow): number => (row.model === '' ? (largest.get(row.workflow) ?? 0) : cost(row));
  const small = rows.sort((a, b) => weight(b) - weight(a)).slice(rowsKept);
  return small.flatMap(({ workflow, model, numbers: own, durations = new Map<number, number>() }) => [
    ...usageMeasures.flatMap((measure) => (own[measure] === undefined ? [] : [usageField(workflow, model, measure)])),
    ...[...durations.keys()].map((bucket) => usageField(workflow, model, `took${bucket}`)),
  ]);
}

/** Returns the name of the number of everything else that a number is added to. */
export const otherField = (field: string): string => `//${field.slice(field.lastIndexOf('/') + 1)}`;
