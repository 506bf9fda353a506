import type { ConfigProblem, JsonSchema } from '@millrace/core';
import { singleLine } from '@millrace/core';
import { z } from 'zod';
import { dataSchemaProblems } from '../../schema/data-schema.ts';
import { pathProblems } from '../../schema/data-shape.ts';
import { Template, templateDataProblems, templateFieldProblems } from '../../templates/template-field.ts';

/** Schema in place of a file whose name is not known yet. */
const unknownSchema = { type: 'object', additionalProperties: true };

/** Form of the answers of an agent. */
export const OutputConfig = z
  .object(
    {
      schema: z
        .union([z.string().regex(singleLine), z.record(z.string(), z.unknown())], {
          error: 'Write a JSON Schema, or the path of a file with one.',
        })
        .describe('JSON Schema of the answer, which is an object, or the path of a file with one.'),
      text: Template.nullish().describe(
        'Template of the text of the output, with the fields of the answer as names, and all of them as `data`; the JSON of the answer if omitted.',
      ),
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
    { error: 'Write a mapping with a `schema`.' },
  )
  // As text, because stored mappings lose the order of their fields, in which models write them.
  .transform(({ schema, ...output }) => ({
    ...output,
    schema: JSON.stringify(typeof schema === 'string' ? unknownSchema : schema),
  }))
  .nullish()
  .describe('Type of the answer: it is a JSON object that matches a schema, and becomes the data of the output.');
/** A parsed form of answers. */
export type OutputConfig = NonNullable<z.infer<typeof OutputConfig>>;

/** Returns the schema, with its fields in the order of the author. */
export const schemaOf = ({ schema }: OutputConfig): JsonSchema => JSON.parse(schema);

/** Returns the schema if it has no problems. */
export function knownSchema(output: OutputConfig): JsonSchema | undefined {
  const schema = schemaOf(output);
  return dataSchemaProblems(schema).length === 0 ? schema : undefined;
}

/** Returns what is wrong with the form of the answers of an agent. */
export function outputProblems(
  output: OutputConfig | null | undefined,
  { thinks }: { readonly thinks: boolean },
): readonly ConfigProblem[] {
  if (output == null) return [];
  const text = output.text == null ? [] : textProblems(output.text, knownSchema(output));
  const schema = dataSchemaProblems(schemaOf(output)).map((problem) => ({
    ...problem,
    path: ['output', 'schema', ...problem.path],
  }));
  return [...schema, ...text, ...(thinks ? [besideThinking] : [])];
}

const textPath = ['output', 'text'];

/** Returns the problems of the template of the text: its names are the fields of the answer, and `data`. */
function textProblems(text: string, schema: JsonSchema | undefined): readonly ConfigProblem[] {
  const problems = templateFieldProblems(text, textPath);
  if (problems.length > 0 || schema === undefined) return problems;
  // Tags such as `for` have names of their own.
  const names = /\{%/.test(text)
    ? []
    : [...text.matchAll(/\{\{-?\s*([A-Za-z_]\w*)(?!\w|\s*\()/g)].map(([, name = '']) => name);
  const fields = [...new Set(names)].filter((name) => name !== 'data' && !literals.has(name));
  return [
    ...fields.flatMap((name) => pathProblems(schema, name, textPath)),
    ...templateDataProblems(text, schema, textPath),
  ];
}

/** Words of templates that are values, not names. */
const literals: ReadonlySet<string> = new Set(['true', 'false', 'none', 'True', 'False', 'None', 'not']);

const besideThinking: ConfigProblem = {
  code: 'E_FIELD_INVALID',
  severity: 'error',
  path: ['output'],
  message: '"output" does not go with "thinking", whose second answer is free text',
  hint: 'Remove one of them, or let another agent reflect.',
};
