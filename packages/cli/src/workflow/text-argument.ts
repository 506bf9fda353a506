import type { Readable } from 'node:stream';
import { inexactNumber } from '@millrace/core/exact-numbers';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { readCompanion } from './load-workflow.ts';

/** A text on the command line: `-` reads standard input, `@FILE` a file, anything else is the text itself. */
export async function readTextArgument(argument: string, input: Readable = process.stdin): Promise<string> {
  if (argument === '-') return decoded(await contentOf(input)).replace(/\r?\n$/, '');
  return argument.startsWith('@') ? readCompanion(argument.slice(1), 'Give it on standard input, as -.') : argument;
}

/** Maximum size of standard input, in bytes; a task of more cannot be sent. */
const maxInputBytes = 64 * 1024 * 1024;

async function contentOf(input: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of input as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxInputBytes)
      throw new CommandError(
        exitCodes.invalid,
        `Standard input has more than ${maxInputBytes / 1024 / 1024} MiB. Attach a large text as a file, with --attach.`,
      );
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new CommandError(exitCodes.invalid, 'Standard input is not valid UTF-8.', { cause: error });
  }
}

/**
 * `NAME=VALUE` assignments. A value that is a JSON number, boolean, null, list, object or quoted string is that;
 * anything else is text.
 */
export function parseAssignments(assignments: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    assignments.map((assignment) => {
      const [, name, value] = /^([A-Za-z0-9_]+)=([\s\S]*)$/.exec(assignment) ?? [];
      if (name === undefined || value === undefined) {
        throw new CommandError(
          exitCodes.invalid,
          `--var ${assignment}: write NAME=VALUE, the name in letters, digits and _.`,
        );
      }
      return [name, jsonOrText(value)];
    }),
  );
}

/** Returns the JSON object in the value of an option. */
export function fieldsIn(text: string, option: string): Readonly<Record<string, unknown>> {
  const value = jsonOrText(text);
  const inexact = inexactNumber(text);
  if (inexact !== undefined && typeof value === 'object')
    throw new CommandError(
      exitCodes.invalid,
      `${option}: the number ${inexact} cannot be sent exactly. Write it as a text.`,
    );
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new CommandError(exitCodes.invalid, `${option}: write a JSON object.`);
}

function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    // A text that is not JSON is a text.
    return value;
  }
}
