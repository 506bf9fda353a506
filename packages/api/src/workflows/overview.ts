import { durationQuantile, omitUndefined } from '@millrace/core';
import type { UsageByDay, UsageRow } from '@millrace/runtime';
import { z } from 'zod';
import { RunLine } from '../schemas/runs/run.ts';
import { WorkflowPath, WorkflowWeek } from '../schemas/workflow.ts';

const count = z.int();

/** Numbers of a workflow on one day. */
const WorkflowDay = z
  .object({ day: z.string().describe('`YYYY-MM-DD` in UTC.'), runs: count, failed: count, microUsd: count })
  .meta({ id: 'WorkflowDay' });
/** WorkflowDay as responses have it. */
export type WorkflowDay = z.output<typeof WorkflowDay>;

/** A published workflow at a glance. */
export const WorkflowOverview = z
  .object({
    name: WorkflowPath.shape.name,
    description: z.string().optional().describe('Purpose of the workflow, as its text says it.'),
    since: z.number().describe('Time at which the first of the seven days began, in UTC; milliseconds since 1970.'),
    week: WorkflowWeek,
    days: z.array(WorkflowDay).describe('The seven days, the oldest first.'),
    lastFailures: z.array(RunLine).describe('The runs that started last of those that have failed, up to 5.'),
  })
  .meta({ id: 'WorkflowOverview' });

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
  // An end can be added to the row of everything else before a retry takes it back here.
  const sum = (measure: keyof UsageRow['numbers']): number =>
    Math.max(
      0,
      rows.reduce((total, { numbers }) => total + (numbers[measure] ?? 0), 0),
    );
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
