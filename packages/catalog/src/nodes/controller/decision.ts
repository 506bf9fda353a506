import type { ChatReply } from '@millrace/core';
import { didYouMean, parseJsonFields } from '@millrace/core';
import type { ControllerCommands } from './commands.ts';
import { argumentProblem } from './commands.ts';

/** The command that a model has chosen. */
export interface ControllerDecision {
  readonly command: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Text of the model beside the command. */
  readonly thought: string;
  /** Number of the call in the reply, if the command was a call. */
  readonly call?: number;
}

/** A decision, or the problem of the reply in words for the model. */
export type ControllerReply = { readonly type: 'decided'; readonly decision: ControllerDecision } | InvalidDecision;
type InvalidDecision = { readonly type: 'wrong'; readonly error: string };

/** Parses the decision in a reply: the first valid call, or else the JSON in the text. */
export function parseDecision({ text, toolCalls = [] }: ChatReply, commands: ControllerCommands): ControllerReply {
  if (toolCalls.length === 0) return parseWritten(text, commands);
  const read = toolCalls.map(({ name, arguments: given }, call): ControllerReply => {
    const args = given.trim() === '' ? {} : jsonObject(given);
    if (args === undefined) return { type: 'wrong', error: `The arguments of ${name} are not a JSON object.` };
    return checkDecision({ command: name, args, thought: text, call }, commands);
  });
  return read.find(({ type }) => type === 'decided') ?? read[0] ?? parseWritten(text, commands);
}

function parseWritten(text: string, commands: ControllerCommands): ControllerReply {
  const found = jsonObject(text) ?? jsonObject(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  if (found === undefined) return { type: 'wrong', error: 'The answer holds no command.' };
  const { command, command_args: args = {}, thought } = found;
  if (typeof command !== 'string') return { type: 'wrong', error: 'The field "command" is missing or no text.' };
  if (!isObject(args)) return { type: 'wrong', error: 'The field "command_args" is not a mapping.' };
  return checkDecision({ command, args, thought: typeof thought === 'string' ? thought : '' }, commands);
}

function checkDecision(decision: ControllerDecision, commands: ControllerCommands): ControllerReply {
  const error = commandProblem(decision, commands);
  return error === undefined ? { type: 'decided', decision } : { type: 'wrong', error };
}

/** Returns the problem of a choice, in words for the model; undefined if it is valid. */
export function commandProblem(
  { command, args }: Pick<ControllerDecision, 'command' | 'args'>,
  commands: ControllerCommands,
): string | undefined {
  const known = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (known === undefined) {
    const names = Object.keys(commands);
    const hint = didYouMean(command, names) ?? `The commands are: ${names.join(', ')}.`;
    return `There is no command "${command}". ${hint}`;
  }
  const problem = argumentProblem(known, args);
  return problem === undefined ? undefined : `The arguments of ${command} are wrong: ${problem}.`;
}

function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const trimmed = text.trim();
  const fields = parseJsonFields(trimmed);
  return Object.keys(fields).length > 0 || /^\{\s*\}$/.test(trimmed) ? fields : undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
