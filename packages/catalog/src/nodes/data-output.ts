import type { Block, ConfigProblem, Host, JsonSchema } from '@millrace/core';
import { singleLine } from '@millrace/core';
import { z } from 'zod';
import { dataSchemaProblems } from '../schema/data-schema.ts';
import { pathProblems } from '../schema/data-shape.ts';
import { rendererFor, Template, templateDataProblems, templateFieldProblems } from '../templates/template-field.ts';

/*
 * Answers that are data: the fields `schema` and `text` of `output`, which agents and people share.
 */

/** Schema in place of a file whose name is not known yet. */
const unknownSchema = { type: 'object', additionalProperties: true };

/** Fields of the form of an answer, whoever gives it. */
export const dataOutputFields = {
  schema: z
    .union([z.string().regex(singleLine), z.record(z.string(), z.unknown())], {
      error: 'Write a JSON Schema, or the path of a file with one.',
    })
    .describe('JSON Schema of the answer, which is an object, or the path of a file with one.'),
  text: Template.nullish().describe(
    'Template of the text of the output, with the fields of the answer as names, and all of them as `data`; the JSON of the answer if omitted.',
  ),
} as const;

/** Message for an `output` that is no mapping. */
export const notOutput = { error: 'Write a mapping with a `schema`.' };

/** Returns the form of answers with its schema as text, because stored mappings lose the order of their fields. */
export const withSchemaText = <Output extends { readonly schema: string | object }>({ schema, ...output }: Output) => ({
  ...output,
  schema: JSON.stringify(typeof schema === 'string' ? unknownSchema : schema),
});

/** Form of the answers of a node. */
export const DataOutput = z
  .object(dataOutputFields, notOutput)
  .transform(withSchemaText)
  .nullish()
  .describe('Form of the answer: it is an object that matches a schema, and becomes the data of the output.');
/** A parsed form of answers. */
export type DataOutput = NonNullable<z.infer<typeof DataOutput>>;

/** Returns the schema, with its fields in the order of the author. */
export const schemaOf = ({ schema }: Pick<DataOutput, 'schema'>): JsonSchema => JSON.parse(schema);

/** Returns the schema if it has no problems. */
export function knownSchema(output: Pick<DataOutput, 'schema'>): JsonSchema | undefined {
  const schema = schemaOf(output);
  return dataSchemaProblems(schema).length === 0 ? schema : undefined;
}

/** Returns what is wrong with the form of answers. */
export function dataOutputProblems(output: DataOutput | null | undefined): readonly ConfigProblem[] {
  if (output == null) return [];
  const text = output.text == null ? [] : textProblems(output.text, knownSchema(output));
  const schema = dataSchemaProblems(schemaOf(output)).map((problem) => ({
    ...problem,
    path: ['output', 'schema', ...problem.path],
  }));
  return [...schema, ...text];
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

/** Returns valid data as a block with the text that other nodes read. */
export async function dataBlock(
  host: Host,
  { text }: Pick<DataOutput, 'text'>,
  data: Readonly<Record<string, unknown>>,
): Promise<Block> {
  return {
    type: 'data',
    data,
    text: text == null ? JSON.stringify(data) : await rendererFor(host).text(text, { ...data, data }),
  };
}
