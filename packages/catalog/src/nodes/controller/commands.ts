import type { JsonSchema, ModelTool } from '@millrace/core';
import { describeIssues } from '@millrace/core';
import { z } from 'zod';
import type { ControllerCommand } from './controller-config.ts';

/** Commands by name. */
export type ControllerCommands = Readonly<Record<string, ControllerCommand>>;

/** Returns the commands as functions that a model may call. */
export const commandTools = (commands: ControllerCommands): readonly ModelTool[] =>
  Object.entries(commands).map(([name, command]) => ({
    name,
    description: command.description,
    parameters: parametersOf(command),
  }));

/** Returns the commands as text for a prompt, one line each, with their arguments below. */
export const commandManual = (commands: ControllerCommands): string =>
  Object.entries(commands)
    .map(([name, { description, args }]) => [`- ${name}: ${description}`, ...Object.entries(args).map(line)].join('\n'))
    .join('\n');

type Argument = ControllerCommand['args'][string];

const line = ([name, { type, required, description }]: [string, Argument]): string =>
  `    ${name} (${type}${required ? ', required' : ''})${description ? `: ${description}` : ''}`;

function parametersOf({ args }: ControllerCommand): JsonSchema {
  const properties = Object.entries(args).map(([name, { type, description }]) => [
    name,
    description ? { type, description } : { type },
  ]);
  const required = Object.entries(args).flatMap(([name, argument]) => (argument.required ? [name] : []));
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false };
}

/** Returns the problem of a command's arguments, in words for the model; undefined if they are valid. */
export function argumentProblem(
  { args }: ControllerCommand,
  given: Readonly<Record<string, unknown>>,
): string | undefined {
  const fields = Object.entries(args).map(([name, { type, required }]) => {
    const schema = schemas[type];
    return [name, required ? schema : schema.nullish()];
  });
  const { error } = z.strictObject(Object.fromEntries(fields)).safeParse(given);
  return error && describeIssues(error.issues);
}

const schemas: Readonly<Record<Argument['type'], z.ZodType>> = {
  string: z.string(),
  number: z.number(),
  integer: z.int(),
  boolean: z.boolean(),
  array: z.array(z.unknown()),
  object: z.record(z.string(), z.unknown()),
};
