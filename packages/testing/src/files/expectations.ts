import { Comparison, comparisonProblems, schemaProblems } from '@millrace/catalog';
import { durationPattern, parseDuration } from '@millrace/core';
import { z } from 'zod';
import { CountText } from './counts.ts';

/** A length of time such as `30s`, `26h` or `7d`, in milliseconds. */
export const Duration = z
  .string()
  .regex(durationPattern, { error: 'Write a number and a unit, such as 30s, 26h or 7d.' })
  .transform((text) => parseDuration(text) ?? 0)
  .describe('A length of time, such as 30s, 26h or 7d.');

const texts = z.union([z.string(), z.array(z.string()).min(1)]);

/** What is expected of a text. */
export const TextChecks = z.object({
  equals: z.string().optional().describe('The whole text.'),
  contains: texts.optional().describe('Texts that it contains: one, or a list.'),
  not_contains: texts.optional().describe('Texts that it does not contain: one, or a list.'),
  matches: texts.optional().describe('Regular expressions that are found in it: one, or a list.'),
  not_matches: texts.optional().describe('Regular expressions that are not found in it: one, or a list.'),
  max_chars: z.int().min(0).optional().describe('Most characters that it has.'),
  json: Comparison.superRefine((comparison, context) => {
    for (const { path, message } of comparisonProblems(comparison))
      context.addIssue({ code: 'custom', path: [...path], message });
  })
    .optional()
    .describe('A value inside it, compared as by a `data` condition; the text is JSON.'),
  json_schema: z
    .record(z.string(), z.unknown())
    .superRefine((schema, context) => {
      for (const { path, message, hint } of schemaProblems(schema))
        context.addIssue({
          code: 'custom',
          path: [...path],
          message: hint === undefined ? message : `${message}. ${hint}`,
        });
    })
    .optional()
    .describe('JSON Schema of the text, which is JSON.'),
});
export type TextChecks = z.infer<typeof TextChecks>;

/** What is expected of a text; a text alone is the whole of it. */
export const TextExpectation = z.union([z.string(), TextChecks]);
export type TextExpectation = z.infer<typeof TextExpectation>;

const NodeChecks = z.object({
  runs: CountText.optional().describe('How often it settles.'),
  outputs: CountText.optional().describe('How many messages it puts out.'),
  failed: CountText.optional().describe('How often it fails.'),
  input: TextExpectation.optional().describe('The input of its last activation.'),
  output: TextExpectation.optional().describe('Its last output.'),
});

/** What is expected of a node; a number alone is how often it settles. */
export const NodeExpectation = z.union([CountText, NodeChecks]);

const EdgeExpectation = z.object({
  from: z.string(),
  to: z.string(),
  times: CountText.optional().describe('How many messages pass it.'),
  messages: z.array(TextExpectation).optional().describe('The messages that pass it, in order.'),
});

const QuestionExpectation = z.object({
  node: z.string(),
  prompt: TextExpectation.optional().describe('The text of the question.'),
  times: CountText.optional().describe('How many such questions it asks; absent: at least one.'),
});

const FailureExpectation = z.object({
  code: z.string().optional(),
  node: z.string().optional().describe('The node that fails.'),
  message: TextExpectation.optional(),
});

/** What is expected of a run. */
export const Expectations = z.object({
  status: z
    .enum(['completed', 'failed', 'terminated', 'cancelled', 'waiting'])
    .optional()
    .describe('How the run ends. Absent: it completes; with `error` it fails, and with `stop` it is terminated.'),
  output: TextExpectation.optional().describe('The output of the run.'),
  nodes: z
    .record(z.string(), NodeExpectation)
    .optional()
    .describe('Nodes by their ids; `Sub/Inner` inside a subgraph.'),
  never: z.array(z.string()).optional().describe('Nodes that do not run.'),
  edges: z.array(EdgeExpectation).optional(),
  questions: z.array(QuestionExpectation).optional().describe('Questions that people are asked.'),
  error: z
    .union([z.string(), FailureExpectation])
    .optional()
    .describe('The error with which the run fails; a text is its code.'),
  stop: z.string().optional().describe('Code of the reason for which the run is stopped, such as max_messages.'),
  warnings: z.array(z.string()).optional().describe('Codes of the warnings of the run; an empty list: it has none.'),
  usage: z
    .object({
      calls: CountText.optional().describe('Calls of models.'),
      max_usd: z.number().min(0).optional(),
      max_tokens: z.int().min(0).optional(),
    })
    .optional(),
  time: z
    .object({ at_least: Duration.optional(), at_most: Duration.optional() })
    .optional()
    .describe('Time from the start of the run to its end, by the clock of the test.'),
});
export type Expectations = z.infer<typeof Expectations>;
