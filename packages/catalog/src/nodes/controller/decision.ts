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
export async function parseDecision(
  { text, toolCalls = [] }: ChatReply,
  commands: ControllerCommands,
): Promise<ControllerReply> {
  let first: ControllerReply | undefined;
  for (const [call, { name, arguments: given }] of toolCalls.entries()) {
    const args = given.trim() === '' ? {} : jsonObject(given);
    const read: ControllerReply =
      args === undefined
        ? { type: 'wrong', error: `The arguments of ${name} are not a JSON object.` }
        : await checkDecision({ command: name, args, thought: text, call }, commands);
    if (read.type === 'decided') return read;
    first ??= read;
  }
  return first ?? parseWritten(text, commands);
}

async function parseWritten(text: string, commands: ControllerCommands): Promise<ControllerReply> {
  const found = jsonObject(text) ?? jsonObject(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  if (found === undefined) return { type: 'wrong', error: 'The answer holds no command.' };
  const { command, command_args: args = {}, thought } = found;
  if (typeof command !== 'string') return { type: 'wrong', error: 'The field "command" is missing or no text.' };
  if (!isObject(args)) return { type: 'wrong', error: 'The field "command_args" is not a mapping.' };
  return checkDecision({ command, args, thought: typeof thought === 'string' ? thought : '' }, commands);
}

async function checkDecision(decision: ControllerDecision, commands: ControllerCommands): Promise<ControllerReply> {
  const error = await commandProblem(decision, commands);
  return error === undefined ? { type: 'decided', decision } : { type: 'wrong', error };
}

/** Returns the problem of a choice, in words for the model; undefined if it is valid. */
export async function commandProblem(
  { command, args }: Pick<ControllerDecision, 'command' | 'args'>,
  commands: ControllerCommands,
): Promise<string | undefined> {
  const known = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (known === undefined) {
    const names = Object.keys(commands);
    const hint = didYouMean(command, names) ?? `The commands are: ${names.join(', ')}.`;
    return `There is no command "${command}". ${hint}`;
  }
  const problem = await argumentProblem(known, args);
  return problem === undefined ? undefined : `The arguments of ${command} are wrong: ${problem}.`;
}

function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const trimmed = text.trim();
  const fields = parseJsonFields(trimmed);
  return Object.keys(fields).length > 0 || /^\{\s*\}$/.test(trimmed) ? fields : undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
