import type { JsonSchema } from '@millrace/core';
import { describeIssues } from '@millrace/core';
import { z } from 'zod';
import { dataSchemaProblems } from './data-schema.ts';
import { validate } from './schema-validator.ts';

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Returns what keeps arguments from matching the schema of a tool, as sentences. What this engine does not support in the
 * schema of a server is left to the server.
 */
export async function toolArgumentProblems(schema: JsonSchema, args: Arguments): Promise<readonly string[]> {
  const unknown = unknownFields(schema, args);
  if (unknown.length > 0) return unknown.map((name) => `the tool has no argument ${JSON.stringify(name)}`);
  if (dataSchemaProblems(schema).length > 0) return looseProblems(schema, args);
  const checked = await validate(schema, args);
  return checked.type === 'valid' ? [] : checked.problems;
}

function unknownFields({ properties, additionalProperties }: JsonSchema, args: Arguments): readonly string[] {
  if (additionalProperties !== false || typeof properties !== 'object' || properties === null) return [];
  return Object.keys(args).filter((name) => !Object.hasOwn(properties, name));
}

/** Leaves out keywords that are not tested: patterns of a server are not searched by the engine of JavaScript. */
const withoutPatterns = (key: string, value: unknown): unknown =>
  key === 'patternProperties' || (['pattern', 'format'].includes(key) && typeof value === 'string') ? undefined : value;

function looseProblems(schema: JsonSchema, args: Arguments): readonly string[] {
  let type: z.ZodType;
  try {
    type = z.fromJSONSchema(JSON.parse(JSON.stringify(schema, withoutPatterns)));
  } catch {
    return [];
  }
  const { error } = type.safeParse(args);
  return error === undefined ? [] : [describeIssues(error.issues)];
}
