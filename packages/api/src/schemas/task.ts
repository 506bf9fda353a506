import { isTooDeep, maxJsonDepth, omitUndefined, questionPattern } from '@millrace/core';
import type { AnswerExit as AnswerExitOfRun, Task as OpenTask } from '@millrace/runtime';
import { z } from 'zod';
import { Attachments } from './file.ts';

const TextTest = z
  .object({
    any: z.array(z.string()),
    all: z.array(z.string()),
    none: z.array(z.string()),
    patterns: z.array(z.string()).describe('Regular expressions in the syntax of Python.'),
    flags: z.array(z.string()).describe('Flags by their names in Python; with `IGNORECASE`, words ignore case, too.'),
  })
  .describe('Test of the text: all of `all`, none of `none`, and one of `any` or `patterns` if there are any.')
  .meta({ id: 'TextTest' });

/** A node to which an answer may lead. */
const AnswerExit = z
  .object({
    to: z.string(),
    condition: z.string().optional().describe('Condition in words; absent: every answer leads there.'),
    test: TextTest.optional().describe('Absent with a condition: code decides.'),
  })
  .meta({ id: 'AnswerExit' });

/** The call of a tool that a person is asked to approve. */
const Approval = z
  .object({
    tool: z.string().describe('Name of the tool.'),
    server: z.string().optional().describe('The MCP server that has the tool; absent: a function.'),
    arguments: z.string().describe('The exact arguments, as JSON with its fields in the order of their names.'),
    parameters: z.record(z.string(), z.unknown()).describe('JSON Schema of the arguments.'),
    rule: z.string().describe('The rule of the policy that asks, in words.'),
    hash: z
      .string()
      .describe('SHA-256 over the run, the activation, the place, the server, the tool and the arguments of the call.'),
    expiresAt: z
      .number()
      .optional()
      .describe('Milliseconds since 1970 when the call counts as rejected; absent: never.'),
  })
  .meta({ id: 'Approval' });

/** An open question to a person. */
export const Task = z
  .object({
    id: z
      .string()
      .describe(
        'RUN.ACTIVATION, or RUN.ACTIVATION.CALL for a question with an `approval`; RUN.ACTIVATION-2 or RUN.ACTIVATION.CALL-2 if the activation asks for the second time, or the second time about a call at this place.',
      ),
    runId: z.string(),
    node: z.string(),
    prompt: z.string().describe('Instruction for the person.'),
    input: z.string().describe("The node's input, for the person to read."),
    memory: z.string().optional().describe("Matching contents of the node's memories."),
    title: z.string().optional().describe('Title of the run: the beginning of its task.'),
    askedAt: z.number().optional().describe('Milliseconds since 1970; absent in descriptions of runs.'),
    askedBefore: z
      .literal(true)
      .optional()
      .describe('The node has run before in this run; absent in descriptions of runs.'),
    dueAt: z
      .number()
      .optional()
      .describe('Milliseconds since 1970 when the time limit of the run withdraws the question; absent: never.'),
    schema: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('JSON Schema of the answer, which is `data`; absent: it is a `text`.'),
    approval: Approval.optional().describe(
      'The call of a tool that is made if the answer approves it: `data` with `decision`, and maybe `arguments`, `reason` and the `hash` of the call. Absent: the answer is a `text`.',
    ),
    goesTo: z
      .array(AnswerExit)
      .optional()
      .describe('Nodes to which the answer may lead; absent where it leads back to the node that asks.'),
  })
  .meta({ id: 'Task' });
export type Task = z.infer<typeof Task>;

/** The id of a task in a path. */
export const TaskPath = z.object({
  id: z
    .string()
    .regex(
      new RegExp(`^[A-Za-z0-9_-]{1,128}\\.${questionPattern.source}$`),
      'must be RUN.ACTIVATION, as in run_0192.a2, or RUN.ACTIVATION.CALL, as in run_0192.a2.1',
    )
    .describe('RUN.ACTIVATION, RUN.ACTIVATION-2, RUN.ACTIVATION.CALL or RUN.ACTIVATION.CALL-2'),
});

/** Path of a file in the input of a question. */
export const TaskAttachmentPath = TaskPath.extend({
  file: z.string().regex(/^[0-9a-f]{32}$/, 'must be the id of a file of the question'),
});

/** Person who works on an answer. */
export const Assignee = z.string().trim().min(1).max(200);

/** A person's answer. */
export const Answer = z
  .strictObject({
    text: z.string().optional().describe('The answer to a question without a schema.'),
    data: z
      .record(z.string(), z.unknown())
      .refine((data) => !isTooDeep(data), `nests more than ${maxJsonDepth} levels deep`)
      .optional()
      .describe(
        'The answer to a question with a `schema`, which it must match, or with an `approval`: `decision`, which is `approve` or `reject`; `arguments` in place of those of the model; a `reason` for the model; the `hash` of the call that was read.',
      ),
    attachments: Attachments,
    assignee: Assignee.optional().describe(
      'Person who answers; must be the one who has claimed the task. Default: the name of the key.',
    ),
  })
  .refine(({ text, data }) => (text === undefined) !== (data === undefined), 'needs either `text` or `data`')
  .meta({ id: 'Answer' });
/** Characters of the texts of a question that lists of `view=head` have. */
const headChars = 2048;

/** A question as the API shows it; `head`: with the beginnings of its input and its memory, which may be long. */
export function taskOf(task: OpenTask, view?: 'head'): Task {
  const shown = shownTask(task);
  if (view === undefined) return shown;
  const { input, memory } = shown;
  return {
    ...shown,
    input: input.slice(0, headChars),
    ...(memory === undefined ? {} : { memory: memory.slice(0, headChars) }),
  };
}

const shownTask = ({ id, run, node, wait, call, title, askedAt, askedBefore, dueAt, goesTo }: OpenTask): Task => ({
  id,
  runId: run,
  node,
  prompt: wait.prompt,
  input: wait.input,
  ...(wait.memory === undefined ? {} : { memory: wait.memory }),
  ...(title === undefined ? {} : { title }),
  ...(askedAt === undefined ? {} : { askedAt }),
  ...(askedBefore === undefined ? {} : { askedBefore }),
  ...(dueAt === undefined ? {} : { dueAt }),
  ...(wait.schema === undefined ? {} : { schema: JSON.parse(wait.schema) }),
  ...(call === undefined ? {} : { approval: approvalOf(call) }),
  ...(goesTo === undefined ? {} : { goesTo: goesTo.map(exitOf) }),
});

const approvalOf = ({
  tool,
  server,
  arguments: exact,
  parameters,
  rule,
  hash,
  until,
}: NonNullable<OpenTask['call']>): z.infer<typeof Approval> => ({
  tool,
  arguments: exact,
  parameters: JSON.parse(parameters),
  rule,
  hash,
  ...omitUndefined({ server, expiresAt: until }),
});

const exitOf = ({ test, ...exit }: AnswerExitOfRun): z.infer<typeof AnswerExit> => ({
  ...exit,
  ...(test === undefined
    ? {}
    : {
        test: {
          any: [...test.any],
          all: [...test.all],
          none: [...test.none],
          patterns: [...test.patterns],
          flags: [...test.flags],
        },
      }),
});
