import type { Budget } from '@millrace/core';
import { budgetFromDollars, carriedData, maxBudgetDollars, maxPriority, textOf } from '@millrace/core';
import type { RunDescription, RunSummary } from '@millrace/runtime';
import { z } from 'zod';
import { Attachments } from './file.ts';
import { Task, taskOf } from './task.ts';
import { RunWebhook } from './webhook.ts';
import { WorkflowReference } from './workflow.ts';

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
export const RunStatus = z.enum([
  'running',
  'waiting',
  'paused',
  'stopping',
  'completed',
  'failed',
  'cancelled',
  'terminated',
]);

/** A word to find a run by. */
export const Tag = z.string().regex(/^[^\p{C}\n]{1,64}$/u, 'must have 1 to 64 characters');
/** Usage of model calls. */
const Usage = z.object({
  calls: z.number(),
  promptTokens: z.number(),
  completionTokens: z.number(),
  cachedTokens: z.number().optional().describe('Of the prompt tokens, those that the provider had cached.'),
  microUsd: z.number().optional().describe('Cost in millionths of a US dollar; absent when no price is known.'),
  unpriced: z.number().optional().describe('Calls that are not in the cost, as the price of their model is not known.'),
});

const amount = z.object({ tokens: z.number(), microUsd: z.number() });

/** Budget of a run, and its use. */
const BudgetState = z.object({
  limit: z.object({ tokens: z.number().optional(), microUsd: z.number().optional(), ask: z.literal(true).optional() }),
  spent: amount.describe('Used, or lost.'),
  reserved: amount.describe('Set aside for calls under way.'),
  lost: amount.describe('Of what is spent: set aside for calls of which nobody knows what became of them.'),
});

/** Budget of a run, as callers write it. */
const BudgetLimit = z
  .strictObject({
    tokens: z.int().min(0).optional().describe('Tokens of all prompts and answers together.'),
    usd: z.number().min(0).max(maxBudgetDollars).optional().describe('US dollars.'),
  })
  .describe('What it may spend in all; what is left out is as the workflow says.');

/** Budget and expenses in a list. */
const BudgetLine = BudgetState.pick({ limit: true, spent: true });

/** Source of a run. */
const Origin = z.object({
  type: z.enum(['replay', 'fork', 'batch', 'schedule', 'intake', 'mcp']),
  of: z.string().describe('Id of the run, batch, schedule or job, or name of the tool.'),
});

const facts = {
  runId: RunId,
  workflow: z.string().describe('The name that it is published under, or else the id of its graph.'),
  plan: z.string().describe('The hash of its workflow.'),
  status: RunStatus,
  title: z
    .string()
    .optional()
    .describe(
      'First line of the task, at most 120 characters; absent for a task without text and for runs of earlier versions.',
    ),
  tags: z.array(z.string()).describe('Words to find it by.'),
  origin: Origin.optional().describe('Source of a run that no caller started directly.'),
  startedAt: z.number().describe('Milliseconds since 1970.'),
  asks: z.literal(true).optional().describe('It asks people something.'),
  finishedAt: z.number().optional().describe('Milliseconds since 1970; absent while it goes on.'),
  usage: Usage.optional().describe('As of when its status last changed; absent when that was nothing.'),
};

/** A run in a list. */
export const RunLine = z
  .object({
    ...facts,
    error: z
      .object({ code: z.string() })
      .optional()
      .describe('Code of the error for which it failed or was cancelled.'),
    budget: BudgetLine.optional().describe('As of when its status last changed; absent for a run without a budget.'),
    activations: z
      .int()
      .optional()
      .describe('As of when its status last changed; absent for runs of earlier versions.'),
  })
  .meta({ id: 'RunLine' });
/** RunLine as responses have it. */
export type RunLine = z.output<typeof RunLine>;

/** State of a run. */
export const Run = z
  .object({
    ...facts,
    output: z.string().nullable().describe('The text of its final output; null until there is one.'),
    outputs: z.record(z.string(), z.string()).describe('The text of the last output of each node of its graph.'),
    data: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        'What its final output carries beside its text, such as the result of a boss; null when that is nothing.',
      ),
    dataByNode: z
      .record(z.string(), z.record(z.string(), z.unknown()))
      .describe('What the last output of each node of its graph carries beside its text; only nodes of which it does.'),
    trace: z.string().nullable().describe('The W3C traceparent that it was started with.'),
    usage: Usage,
    usageByNode: z
      .record(z.string(), Usage)
      .describe('By `<node>`, or `<graph>/<node>` in a subgraph; only nodes that have asked a model.'),
    budget: BudgetState.nullable().describe('null when it may spend what it wants.'),
    activations: z.number().int(),
    capped: z.array(z.string()).describe('Loops that the iteration limit cut short.'),
    error: z
      .object({ code: z.string(), message: z.string(), node: z.string().optional() })
      .nullable()
      .describe('Why it failed or was cancelled.'),
    stop: z.object({ code: z.string(), text: z.string() }).nullable().describe('Why it is stopping or was terminated.'),
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
  usageByNode: true,
  budget: true,
  error: true,
  stop: true,
}).meta({ id: 'RunResult' });
/** RunResult as responses have it. */
export type RunResult = z.output<typeof RunResult>;

const longestSeconds = 10 * 365 * 24 * 60 * 60;

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
    tags: z.array(Tag).max(20).default([]).describe('Words to find it by in lists, at most 20.'),
    budget: BudgetLimit.optional(),
    timeoutSeconds: z
      .number()
      .positive()
      .max(longestSeconds)
      .optional()
      .describe('How long it may take, pauses not counted; at most ten years.'),
    webhook: RunWebhook.optional(),
    priority: z
      .int()
      .min(1)
      .max(maxPriority)
      .optional()
      .describe('How far others go before it: 1 goes before 2, and runs without one go before both.'),
    runId: NewRunId.optional().describe('Starting the same id twice starts one run.'),
  })
  .meta({ id: 'StartRun' });
/** StartRun as requests write it. */
export type StartRunInput = z.input<typeof StartRun>;
export type StartRun = z.infer<typeof StartRun>;

/** Options of stopping a run. */
export const StopRun = z
  .strictObject({
    mode: z
      .enum(['graceful', 'cancel'])
      .default('graceful')
      .describe('graceful: what is at work may finish; cancel: it is told to stop, and is done anew later.'),
    note: z.string().max(1000).optional().describe('Why; kept in the journal.'),
    scope: z.string().max(200).optional().describe('Stop only this named scope; the run goes on after it.'),
  })
  .nullish();
/** StopRun as requests write it. */
export type StopRunInput = NonNullable<z.input<typeof StopRun>>;

/** Options of a signal. */
export const SignalRun = z
  .strictObject({ note: z.string().max(1000).optional().describe('Why; kept in the journal.') })
  .nullish();

/** Options of resuming a run. */
export const ResumeRun = z
  .strictObject({
    input: z
      .string()
      .optional()
      .describe('Told to the nodes that the run goes on with; of a completed run, its further task.'),
    budget: BudgetLimit.optional().describe('What it may spend in all from here on, what it has spent included.'),
    to: z.string().max(200).optional().describe('The node that goes on and gets the input.'),
  })
  .nullish();
/** ResumeRun as requests write it. */
export type ResumeRunInput = NonNullable<z.input<typeof ResumeRun>>;

/** The budget that a caller has written. */
export const budgetOf = (written: z.infer<typeof BudgetLimit> | undefined): { budget?: Budget } =>
  written === undefined ? {} : { budget: budgetFromDollars(written) };

/** A line about a run as the API shows it. */
export const runLineOf = ({ run, tags = [], ...line }: RunSummary): z.infer<typeof RunLine> => ({
  runId: run,
  ...line,
  tags: [...tags],
});

/** A run as the API shows it. */
export function runOf(description: RunDescription): Run {
  const {
    run,
    output,
    error,
    budget,
    stop,
    capped,
    tasks,
    tags = [],
    trace,
    seen: _place,
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
    tasks: tasks.map(taskOf),
  };
}
