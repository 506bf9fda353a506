import { durationQuantile, omitUndefined } from '@millrace/core';
import type { UsageByDay, UsageRow } from '@millrace/runtime';
import type { WorkflowWeek } from '../schemas/workflow.ts';
import type { WorkflowDay } from './workflow-overview.ts';

/*
 * Numbers of a week are sums of those that commits have counted, by day and workflow: no run is read for them.
 */

const dayMs = 24 * 60 * 60 * 1000;
const days = 7;

/** Numbers of workflows over the last seven days of UTC, today included. */
export interface Weeks {
  /** Time at which the first day began, in milliseconds since 1970. */
  readonly since: number;
  of(workflow: string): WorkflowWeek;
  /** Returns the numbers of each day, the oldest first. */
  daysOf(workflow: string): readonly WorkflowDay[];
}

/** Reads the usage of a tenant over the last seven days. */
export async function readWeeks(
  usage: Pick<UsageByDay, 'read'>,
  { tenant, now }: { readonly tenant: string; readonly now: number },
): Promise<Weeks> {
  const since = now - (now % dayMs) - (days - 1) * dayMs;
  const names = Array.from({ length: days }, (_, day) => new Date(since + day * dayMs).toISOString().slice(0, 10));
  const read = await usage.read(tenant, names);
  const rowsOf = (workflow: string, day: number): readonly UsageRow[] =>
    (read[day] ?? []).filter((row) => row.workflow === workflow);
  return {
    since,
    of: (workflow) => weekOf(names.flatMap((_, day) => rowsOf(workflow, day))),
    daysOf: (workflow) =>
      names.map((day, at) => {
        const { runs, failed, microUsd } = weekOf(rowsOf(workflow, at));
        return { day, runs, failed, microUsd };
      }),
  };
}

/** Adds up the rows of a workflow. */
function weekOf(rows: readonly UsageRow[]): WorkflowWeek {
  const sum = (measure: keyof UsageRow['numbers']): number =>
    rows.reduce((total, { numbers }) => total + (numbers[measure] ?? 0), 0);
  const [completed, failed, cancelled, terminated] = [
    sum('completed'),
    sum('failed'),
    sum('cancelled'),
    sum('terminated'),
  ];
  const took = new Map<number, number>();
  for (const { durations = [] } of rows)
    for (const [bucket, count] of durations) took.set(bucket, (took.get(bucket) ?? 0) + count);
  return {
    runs: completed + failed + cancelled + terminated,
    completed,
    failed,
    cancelled,
    terminated,
    microUsd: sum('microUsd'),
    unpriced: sum('unpriced'),
    ...omitUndefined({ p50Ms: durationQuantile(took, 0.5), p95Ms: durationQuantile(took, 0.95) }),
  };
}
