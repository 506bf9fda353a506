import type { JsonSchema, ModelTool } from '@millrace/core';
import { validate } from '../../schema/schema-validator.ts';
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
export async function argumentProblem(
  command: ControllerCommand,
  given: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  const checked = await validate(parametersOf(command), given);
  return checked.type === 'valid' ? undefined : checked.problems.join('; ');
}

/** Returns the schema of a written decision: one of the commands, with arguments. */
export const decisionSchema = (commands: ControllerCommands): JsonSchema => ({
  type: 'object',
  properties: {
    thought: { type: 'string', description: 'Why this command is next.' },
    command: { enum: Object.keys(commands), description: commandManual(commands) },
    command_args: {
      anyOf: Object.entries(commands).map(([name, command]) => ({
        ...parametersOf(command),
        description: `Arguments of ${name}.`,
      })),
    },
  },
  required: ['command', 'command_args'],
});
