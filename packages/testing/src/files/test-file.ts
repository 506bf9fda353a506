import { Prices } from '@millrace/core';
import { z } from 'zod';
import { Duration, Expectations } from './expectations.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const Answer = z
  .object({
    text: z.string().optional().describe('Text of the answer.'),
    data: z.record(z.string(), z.unknown()).optional().describe('Data of the answer, to a question with a schema.'),
    after: Duration.optional().describe('Time between the question and the answer.'),
    by: z.string().optional().describe('Name of the person who answers.'),
  })
  .refine(({ text, data }) => (text === undefined) !== (data === undefined), 'Write either `text` or `data`.');

const AnswerText = z.union([scalar.transform(String), Answer]);
/** An answer of a person; a text is given at once. */
export type AnswerText = z.infer<typeof AnswerText>;

const answerList = z.array(AnswerText);
const Answers = z.union([
  answerList.describe('Answers to all questions, in their order.'),
  z.record(z.string(), z.union([answerList, AnswerText])).describe('By node: its answers in order, or one to all.'),
]);
export type Answers = z.infer<typeof Answers>;

const Signal = z.object({
  name: z.string().describe('Name of the signal.'),
  data: z.unknown().optional().describe('Data of the signal.'),
  note: z.string().optional(),
  id: z.string().optional().describe('Id of the event; a second one with the same id has no effect.'),
  after: Duration.optional().describe('Time between the start of the run and the signal.'),
});
export type Signal = z.infer<typeof Signal>;

const ToolRule = z.object({
  when: z.record(z.string(), z.unknown()).optional().describe('Arguments with these values; others do not matter.'),
  result: z.unknown().optional().describe('What the tool returns.'),
  error: z.string().optional().describe('Message of the error with which the tool fails.'),
});
const ToolReplies = z.union([z.literal('real'), z.array(ToolRule).min(1)]);
/** What a tool returns in a test; `real`: it is executed. */
export type ToolReplies = z.infer<typeof ToolReplies>;

/** Returns whether there is this time: `Date` takes 31 February for 3 March. */
function isTime(text: string): boolean {
  const day = text.slice(0, 10);
  const midnight = Date.parse(day);
  return !Number.isNaN(Date.parse(text)) && new Date(midnight).toISOString().startsWith(day);
}

/** A time with its zone, as milliseconds since 1970. YAML writes the `T` as a space. */
const StartTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/, {
    error: 'Write a time with its zone, such as 2026-01-01T09:00:00Z.',
  })
  .refine(isTime, { error: 'There is no such time.' })
  .transform((text) => Date.parse(text));

const settings = {
  input: scalar.transform(String).optional().describe('The task; @FILE reads it from a file beside the test.'),
  vars: z.record(z.string(), z.unknown()).optional().describe('Variables of the workflow.'),
  attachments: z.array(z.string()).optional().describe('Files that are attached to the task.'),
  budget: z
    .object({ usd: z.number().min(0).optional(), tokens: z.int().min(0).optional() })
    .optional()
    .describe('Budget of the run.'),
  prices: Prices.optional().describe('Prices of models.'),
  timeout: Duration.optional().describe('Real time that the test may take; default: 30s.'),
  script: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .optional()
    .describe('Answers of models: a file as of `run --script`, or its contents.'),
  recording: z.string().optional().describe('A recorded run, from which models, tools and programs are answered.'),
  match: z
    .enum(['request', 'position'])
    .optional()
    .describe('Recorded calls are recognised by what they ask (default), or by their position alone.'),
  answers: Answers.optional().describe('Answers of people.'),
  signals: z.array(Signal).optional().describe('Signals that the run is sent.'),
  tools: z.record(z.string(), ToolReplies).optional().describe('What tools return, by their names.'),
  start_time: StartTime.optional().describe('Time at which the run starts.'),
  call_time: Duration.optional().describe('Time that a call of a model takes; default: 1s.'),
  clock: z
    .enum(['virtual', 'real'])
    .optional()
    .describe('By the virtual clock (default), time that is only waited for passes at once.'),
  network: z.array(z.string()).optional().describe('Hosts that the run may connect to.'),
};

const Defaults = z.object(settings);

const TestCase = z.object({
  name: z.string().min(1).describe('What the test shows.'),
  skip: z.string().optional().describe('Reason for which the test is not run.'),
  only: z.literal(true).optional().describe('Only tests with this are run; refused where CI is set.'),
  ...settings,
  expect: Expectations.default({}).describe('What the run must be like.'),
});

/** A file of tests. */
export const TestFile = z.object({
  workflow: z.string().optional().describe('The workflow; default: the file of the same stem.'),
  extensions: z
    .string()
    .optional()
    .describe('Module with the functions of the installation, as MILLRACE_EXTENSIONS names one.'),
  defaults: Defaults.optional().describe('Settings of all tests of the file.'),
  tests: z.array(TestCase).min(1),
});
export type TestFile = z.infer<typeof TestFile>;

/** One test, with the defaults of its file. */
export type TestCase = z.infer<typeof TestCase>;
