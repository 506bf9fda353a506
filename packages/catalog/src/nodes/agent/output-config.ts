import type { ConfigProblem } from '@millrace/core';
import { z } from 'zod';
import { dataOutputFields, dataOutputProblems, notOutput, withSchemaText } from '../data-output.ts';

/** Form of the answers of an agent. */
export const OutputConfig = z
  .object(
    {
      ...dataOutputFields,
      mode: z
        .enum(['auto', 'native', 'tool', 'json'], { error: 'Write `auto`, `native`, `tool` or `json`.' })
        .default('auto')
        .describe(
          'How the model is asked for it: native by the form of the API, tool by a tool that receives it, json by an instruction; auto by what is known of the model.',
        ),
      repair: z
        .int({ error: 'Write a whole number.' })
        .min(0, { error: 'Write a number of at least 0.' })
        .max(10, { error: 'Write a number of at most 10.' })
        .default(2)
        .describe('How often the model is asked again when its answer does not match the schema.'),
      on_invalid: z
        .enum(['fail', 'text'], { error: 'Write `fail` or `text`.' })
        .default('fail')
        .describe('After these repairs: fail fails, text emits the last answer as it is, with a warning.'),
    },
    notOutput,
  )
  .transform(withSchemaText)
  .nullish()
  .describe('Type of the answer: it is a JSON object that matches a schema, and becomes the data of the output.');
/** A parsed form of answers. */
export type OutputConfig = NonNullable<z.infer<typeof OutputConfig>>;

/** Returns what is wrong with the form of the answers of an agent. */
export function outputProblems(
  output: OutputConfig | null | undefined,
  { thinks }: { readonly thinks: boolean },
): readonly ConfigProblem[] {
  if (output == null) return [];
  return [...dataOutputProblems(output), ...(thinks ? [besideThinking] : [])];
}

const besideThinking: ConfigProblem = {
  code: 'E_FIELD_INVALID',
  severity: 'error',
  path: ['output'],
  message: '"output" does not go with "thinking", whose second answer is free text',
  hint: 'Remove one of them, or let another agent reflect.',
};
