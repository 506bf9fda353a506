import { textOf } from '@millrace/core';
import type { RunDescription, RunSummary } from '@millrace/runtime';
import { z } from 'zod';
import { Task, taskOf } from './task.ts';

/** The id of a run; callers may choose one. */
export const RunId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/, 'may hold letters, digits, _ and -, up to 128 of them')
  .describe('Letters, digits, _ and -.');

/** Routes below one run. */
export const RunPath = z.object({ id: RunId });

/** Where a run stands. */
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

const facts = {
  runId: RunId,
  workflow: z.string().describe('The id of its graph.'),
  plan: z.string().describe('The hash of its workflow.'),
  status: RunStatus,
  tags: z.array(z.string()).describe('Words to find it by.'),
  startedAt: z.number().describe('Milliseconds since 1970.'),
  finishedAt: z.number().optional().describe('Milliseconds since 1970; absent while it goes on.'),
};

/** A run in a list. */
export const RunLine = z.object(facts).meta({ id: 'RunLine' });

/** How a run stands. */
export const Run = z
  .object({
    ...facts,
    output: z.string().nullable().describe('The text of its final output; null until there is one.'),
    outputs: z.record(z.string(), z.string()).describe('The text of the last output of each node of its graph.'),
    trace: z.string().nullable().describe('The W3C traceparent that it was started with.'),
    usage: z.object({
      promptTokens: z.number(),
      completionTokens: z.number(),
      cachedTokens: z.number().optional(),
      calls: z.number(),
    }),
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

/** What a run came to. */
export const RunResult = Run.pick({
  runId: true,
  status: true,
  output: true,
  outputs: true,
  usage: true,
  error: true,
  stop: true,
}).meta({ id: 'RunResult' });

/** What starts a run. */
export const StartRun = z
  .strictObject({
    workflow: z.strictObject({ yaml: z.string().describe('The text of a workflow file.') }),
    input: z.string().default('').describe('The task.'),
    vars: z.record(z.string(), z.unknown()).optional().describe('Values for variables of the workflow.'),
    compat: z.literal('chatdev').optional().describe("Follow this engine's behaviour where ours differs."),
    tags: z.array(Tag).max(20).default([]).describe('Words to find it by in lists, at most 20.'),
    timeoutSeconds: z.number().positive().optional().describe('How long it may take, pauses not counted.'),
    runId: RunId.optional().describe('Starting the same id twice starts one run.'),
  })
  .meta({ id: 'StartRun' });
export type StartRun = z.infer<typeof StartRun>;

/** How a run is stopped. */
export const StopRun = z
  .strictObject({
    mode: z
      .enum(['graceful', 'cancel'])
      .default('graceful')
      .describe('graceful: what is at work may finish; cancel: it is told to stop, and is done anew later.'),
    note: z.string().max(1000).optional().describe('Why; kept in the journal.'),
  })
  .nullish();

/** How a run is resumed. */
export const ResumeRun = z
  .strictObject({ input: z.string().optional().describe('Told to the nodes that the run goes on with.') })
  .nullish();

/** A line about a run as the API shows it. */
export const runLineOf = ({ run, tags = [], ...line }: RunSummary): z.infer<typeof RunLine> => ({
  runId: run,
  ...line,
  tags: [...tags],
});

/** A run as the API shows it. */
export function runOf({
  run,
  output,
  error,
  stop,
  capped,
  tasks,
  tags = [],
  trace,
  seen: _place,
  ...rest
}: RunDescription): Run {
  return {
    ...rest,
    runId: run,
    output: output === undefined ? null : textOf(output),
    error: error ?? null,
    stop: stop ?? null,
    tags: [...tags],
    trace: trace ?? null,
    capped: [...capped],
    tasks: tasks.map(taskOf),
  };
}
