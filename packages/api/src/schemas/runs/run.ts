import type { Budget } from '@millrace/core';
import { budgetFromDollars, carriedData, maxBudgetDollars, maxPriority, runStatuses, textOf } from '@millrace/core';
import { Amount, Budget as BudgetSchema, ModelUsage, Warning } from '@millrace/core/schemas';
import type { RunDescription, RunSummary } from '@millrace/runtime';
import { z } from 'zod';
import { Attachments } from '../file.ts';
import { Task, taskOf } from '../task.ts';
import { RunWebhook } from '../webhook.ts';
import { Diagnostic, WorkflowReference } from '../workflow.ts';

/** Budget of a run, and what is spent and reserved of it. */
export const BudgetState = z.object({
  limit: BudgetSchema,
  spent: Amount.describe('Usage, with the reserves of interrupted calls.'),
  reserved: Amount.describe('Reserved for calls in progress.'),
  lost: Amount.describe('Part of `spent`: reserves of interrupted calls whose actual usage is unknown.'),
});

/** Budget in a request. */
export const BudgetLimit = z
  .strictObject({
    tokens: z.int().min(0).optional().describe('Tokens of all prompts and answers together.'),
    usd: z.number().min(0).max(maxBudgetDollars).optional().describe('US dollars.'),
  })
  .describe('Limits of the whole run; absent ones are as the workflow defines them.');

/** Budget and expenses in a list. */
const BudgetLine = BudgetState.pick({ limit: true, spent: true });

/** Returns the budget in the form of the runtime. */
export const budgetOf = (written: z.infer<typeof BudgetLimit> | undefined): { budget?: Budget } =>
  written === undefined ? {} : { budget: budgetFromDollars(written) };

/** The id of a run; callers may choose one. */
export const RunId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/, 'may hold letters, digits, _ and -, up to 128 of them')
  .describe('Letters, digits, _ and -.');

/** The id of a new run. `counts` is the address of the numbers of runs. */
export const NewRunId = RunId.refine((id) => id !== 'counts', 'must not be `counts`');

/** Routes below one run. */
export const RunPath = z.object({ id: RunId });

/** Status of a run. */
export const RunStatus = z.enum(runStatuses);

/** Tag of a run, a word to filter lists by. */
export const Tag = z.string().regex(/^[^\p{C}\n]{1,64}$/u, 'must have 1 to 64 visible characters');

/** Source of a run. */
const Origin = z.object({
  type: z.enum(['replay', 'fork', 'batch', 'schedule', 'intake', 'mcp']),
  of: z.string().describe('Id of the run, batch, schedule or job, or name of the tool.'),
});

const facts = {
  runId: RunId,
  workflow: z.string().describe('Name under which it is published, or else the id of its graph.'),
  plan: z.string().describe('The hash of its workflow.'),
  version: z
    .string()
    .optional()
    .describe('Hash of the text of its workflow, as versions have it; absent for runs that were started without it.'),
  status: RunStatus,
  title: z
    .string()
    .optional()
    .describe('First line of the task, at most 120 characters; absent for a task without text.'),
  tags: z.array(z.string()).describe('Labels that lists can filter by.'),
  stopCode: z
    .string()
    .optional()
    .describe('Reason for which it stops, or was stopped, such as `budget`; absent for runs that were not stopped.'),
  origin: Origin.optional().describe('Source of a run that no caller started directly.'),
  startedAt: z.number().describe('Milliseconds since 1970.'),
  asks: z.literal(true).optional().describe('The run has open questions.'),
  finishedAt: z.number().optional().describe('Milliseconds since 1970; absent while it is in progress.'),
  usage: ModelUsage.optional().describe('As of the last change of its status; absent when there was none.'),
};

/** A run in a list. */
export const RunLine = z
  .object({
    ...facts,
    error: z
      .object({ code: z.string() })
      .optional()
      .describe('Code of the error for which it failed or was cancelled.'),
    budget: BudgetLine.optional().describe('As of the last change of its status; absent for a run without a budget.'),
    activations: z.int().describe('As of the last change of its status.'),
  })
  .meta({ id: 'RunLine' });
/** RunLine as responses have it. */
export type RunLine = z.output<typeof RunLine>;

/** State of a run. */
export const Run = z
  .object({
    ...facts,
    output: z
      .string()
      .nullable()
      .describe(
        'The text of its final output; null until there is one. For a key without the scope `read`, this and all other contents are absent.',
      ),
    outputs: z.record(z.string(), z.string()).describe('The text of the last output of each node of its graph.'),
    data: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        'Data that its final output carries beside its text, such as the result of a boss; null when there is none.',
      ),
    dataByNode: z
      .record(z.string(), z.record(z.string(), z.unknown()))
      .describe(
        'Data that the last output of each node of its graph carries beside its text; only nodes with such data.',
      ),
    expiresAt: z
      .number()
      .optional()
      .describe('Time at which a temporary run is removed, in milliseconds since 1970; absent for other runs.'),
    trace: z.string().nullable().describe('The W3C traceparent that it was started with.'),
    usage: ModelUsage,
    recorded: ModelUsage.optional().describe(
      'Recorded usage of the calls whose results a replay took from its recording: they are not made, and not charged. Absent: none.',
    ),
    usageByNode: z
      .record(z.string(), ModelUsage)
      .describe('By `<node>`, or `<graph>/<node>` in a subgraph; only nodes that have asked a model.'),
    budget: BudgetState.nullable().describe('null when the run has no budget.'),
    activations: z.number().int(),
    capped: z.array(z.string()).describe('Loops that the iteration limit cut short.'),
    warnings: z
      .object({
        count: z.number().int(),
        latest: z
          .array(
            z.object({
              activation: z.string(),
              node: z.string().describe('`<node>`, or `<graph>/<node>` in a subgraph.'),
              ...Warning.shape,
            }),
          )
          .describe('The newest ones, oldest first; at most five.'),
      })
      .meta({ id: 'RunWarnings' })
      .describe('Problems that did not change the outcome, such as a condition that failed and let its message pass.'),
    workflowWarnings: z
      .array(Diagnostic)
      .optional()
      .describe('Warnings about its workflow; only in the response to its start, for keys with the scope `read`.'),
    error: z
      .object({ code: z.string(), message: z.string(), node: z.string().optional() })
      .nullable()
      .describe('Error for which it failed or was cancelled.'),
    stop: z
      .object({ code: z.string(), text: z.string() })
      .nullable()
      .describe('Reason why it is stopping or was terminated.'),
    tasks: z.array(Task).describe('Its open questions.'),
  })
  .meta({ id: 'Run' });
export type Run = z.infer<typeof Run>;

/** Result of a run. */
export const RunResult = Run.pick({
  runId: true,
  status: true,
  output: true,
  outputs: true,
  data: true,
  dataByNode: true,
  usage: true,
  recorded: true,
  usageByNode: true,
  budget: true,
  warnings: true,
  error: true,
  stop: true,
}).meta({ id: 'RunResult' });
/** RunResult as responses have it. */
export type RunResult = z.output<typeof RunResult>;

const longestSeconds = 10 * 365 * 24 * 60 * 60;
const longestTtlSeconds = 30 * 24 * 60 * 60;

/** Time after which a temporary run is removed. */
export const TtlSeconds = z
  .number()
  .positive()
  .max(longestTtlSeconds)
  .describe(
    'Makes the run temporary: lists do not show it, and so long after its start it is removed, cancelled before if it is in progress; at most 30 days.',
  );

/** Schema of a new run. */
export const StartRun = z
  .strictObject({
    workflow: z.union(
      [WorkflowReference, z.strictObject({ yaml: z.string().describe('The text of a workflow file.') })],
      {
        error: ({ input }) =>
          input === undefined ? 'is missing' : 'must be NAME or NAME@HASH, or an object with the text under `yaml`',
      },
    ),
    input: z.string().default('').describe('The task.'),
    attachments: Attachments,
    vars: z.record(z.string(), z.unknown()).optional().describe('Values for variables of the workflow.'),
    compat: z.literal('chatdev').optional().describe("Follow this engine's behaviour where ours differs."),
    tags: z.array(Tag).max(20).default([]).describe('Labels that lists can filter by, at most 20.'),
    budget: BudgetLimit.optional(),
    timeoutSeconds: z
      .number()
      .positive()
      .max(longestSeconds)
      .optional()
      .describe('Time limit, without pauses; at most ten years.'),
    ttlSeconds: TtlSeconds.optional(),
    webhook: RunWebhook.optional(),
    priority: z
      .int()
      .min(1)
      .max(maxPriority)
      .optional()
      .describe('Priority: 1 goes before 2, and runs without a priority before all others.'),
    recordRequests: z
      .boolean()
      .optional()
      .describe(
        'False: what models are asked is not stored for people to look at, as with `record_requests: false` of the workflow.',
      ),
    runId: NewRunId.optional().describe('Two requests with the same id start one run.'),
  })
  .meta({ id: 'StartRun' });
export type StartRun = z.infer<typeof StartRun>;

/** Options of stopping a run. */
export const StopRun = z
  .strictObject({
    mode: z
      .enum(['graceful', 'cancel'])
      .default('graceful')
      .describe('graceful: active work may finish; cancel: it is aborted, and executed again later.'),
    note: z.string().max(1000).optional().describe('Reason, recorded in the journal.'),
    scope: z.string().max(200).optional().describe('Stop only this named scope; the run continues after it.'),
  })
  .nullish();
/** Options of a signal. */
export const SignalRun = z
  .strictObject({
    note: z.string().max(1000).optional().describe('Reason, recorded in the journal.'),
    data: z.unknown().optional().describe('Data of the event, for the node that waits for it.'),
    eventId: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Id of the event. A run accepts each id of a name once, so that it is safe to send the event again.'),
  })
  .nullish();

/** Options of resuming a run. */
export const ResumeRun = z
  .strictObject({
    input: z
      .string()
      .optional()
      .describe('Messages to the nodes at which the run continues; for a completed run, its further task.'),
    budget: BudgetLimit.optional().describe(
      'Limits of the whole run from now on, including what it has already spent.',
    ),
    to: z.string().max(200).optional().describe('The node that continues and receives the input.'),
  })
  .nullish();
/** Returns a run in a list as the API shows it. */
export const runLineOf = ({ run, tags = [], ...line }: RunSummary): z.infer<typeof RunLine> => ({
  runId: run,
  ...line,
  tags: [...tags],
});

/** Returns a run for a caller who may not read what its nodes have said and what it was given. */
export const withoutContents = ({ title: _task, ...run }: Run): Run => ({
  ...run,
  output: null,
  outputs: {},
  data: null,
  dataByNode: {},
  warnings: { count: run.warnings.count, latest: [] },
  error: run.error && { ...run.error, message: hidden },
  stop: run.stop && { ...run.stop, text: hidden },
  tasks: [],
});

const hidden = 'Only a key with the scope "read" sees the message.';

/** Returns a run as the API shows it; `head`: with the beginnings of the inputs of its questions. */
export function runOf(description: RunDescription, view?: 'head'): Run {
  const {
    run,
    output,
    error,
    budget,
    stop,
    capped,
    warnings,
    tasks,
    tags = [],
    trace,
    seen: _place,
    seenAt: _time,
    batch: _row,
    ...rest
  } = description;
  return {
    ...rest,
    runId: run,
    output: output === undefined ? null : textOf(output),
    data: (output && carriedData(output)) ?? null,
    error: error ?? null,
    budget: budget ?? null,
    stop: stop ?? null,
    tags: [...tags],
    trace: trace ?? null,
    capped: [...capped],
    warnings: { count: warnings.count, latest: [...warnings.latest] },
    tasks: tasks.map((task) => taskOf(task, view)),
  };
}
