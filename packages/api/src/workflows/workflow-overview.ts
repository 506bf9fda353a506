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
