import type { JsonSchema, ToolDefinition } from '@millrace/core';
import { z } from 'zod';

/** Returns the JSON Schema of a tool's arguments, as models receive it. */
export function toolSchemaOf({ parameters }: Pick<ToolDefinition, 'parameters'>): JsonSchema {
  if (!(parameters instanceof z.ZodType)) return parameters;
  const { $schema: _dialect, ...schema } = z.toJSONSchema(parameters, { io: 'input' });
  return schema;
}

/** Parses the arguments of a tool. Throws an error that tells the model the problems. */
export function argumentsOf({ parameters }: Pick<ToolDefinition, 'parameters'>, given: JsonObject): unknown {
  const { data, error } = typeOf(parameters).safeParse(given);
  if (error === undefined) return data;
  const problems = error.issues.map(
    ({ path, message }) => `${path.length === 0 ? '' : `${path.join('.')}: `}${message}`,
  );
  throw new Error(`invalid arguments: ${problems.join('; ')}`);
}

type JsonObject = Readonly<Record<string, unknown>>;

const types = new WeakMap<object, z.ZodType>();

function typeOf(parameters: ToolDefinition['parameters']): z.ZodType {
  if (parameters instanceof z.ZodType) return parameters;
  const known = types.get(parameters);
  if (known !== undefined) return known;
  const type = z.fromJSONSchema({ ...parameters });
  types.set(parameters, type);
  return type;
}
