import type { Task as OpenTask } from '@millrace/runtime';
import { z } from 'zod';
import { Attachments } from './file.ts';

/** An open question to a person. */
export const Task = z
  .object({
    id: z.string().describe('RUN.ACTIVATION'),
    runId: z.string(),
    node: z.string(),
    prompt: z.string().describe('Instruction for the person.'),
    input: z.string().describe("The node's input, for the person to read."),
    memory: z.string().optional().describe("Matching contents of the node's memories."),
  })
  .meta({ id: 'Task' });
export type Task = z.infer<typeof Task>;

/** The id of a task in a path. */
export const TaskPath = z.object({
  id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}\.a\d{1,15}$/, 'must be RUN.ACTIVATION, as in run_0192.a2')
    .describe('RUN.ACTIVATION'),
});

/** Person who works on an answer. */
export const Assignee = z.string().trim().min(1).max(200);

/** A person's answer. */
export const Answer = z
  .strictObject({
    text: z.string(),
    attachments: Attachments,
    assignee: Assignee.optional().describe('Person who answers; required when the task is claimed.'),
  })
  .meta({ id: 'Answer' });
/** Answer as requests write it. */
export type AnswerInput = z.input<typeof Answer>;

/** A question as the API shows it. */
export const taskOf = ({ id, run, node, wait: { prompt, input, memory } }: OpenTask): Task => ({
  id,
  runId: run,
  node,
  prompt,
  input,
  ...(memory === undefined ? {} : { memory }),
});
