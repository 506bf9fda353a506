import { NodeError } from '../errors.ts';
import type { MessageBody } from './message.ts';
import { hasTooManyValues, maxJsonValues, nestsTooDeeply } from './message.ts';

/**
 * Variables of a message by name: JSON values. They travel in its metadata within one frame; a call of a subgraph
 * neither receives nor returns them. Contents of memory files are among them, under `memory`.
 */
export type Variables = Readonly<Record<string, unknown>>;

type MessageWithMetadata = Pick<MessageBody, 'metadata'>;

/** Returns the variables of a message. */
export function variablesOf({ metadata }: MessageWithMetadata): Variables {
  const variables = metadata?.['variables'];
  return isMapping(variables) ? variables : {};
}

/** Returns the message with exactly these variables; the same object if it has none and gets none. */
export function withVariables<M extends MessageWithMetadata>(message: M, variables: Variables): M {
  const { variables: before, ...others } = message.metadata ?? {};
  const isEmpty = Object.keys(variables).length === 0;
  if (isEmpty && before === undefined) return message;
  const { metadata: _before, ...rest } = message;
  const metadata = isEmpty ? others : { ...others, variables };
  // Only metadata is exchanged, and it may be absent in every message.
  return (Object.keys(metadata).length === 0 ? rest : { ...rest, metadata }) as M;
}

/** Returns the variables of several messages; of two with the same name, that of the newer message counts. */
export function mergeVariables(messages: readonly MessageWithMetadata[]): Variables {
  return Object.fromEntries(messages.flatMap((message) => Object.entries(variablesOf(message))));
}

/**
 * Returns the names that templates may use: the variables, and each memory file under its own name unless a variable
 * has it.
 */
export function templateNames(variables: Variables): Variables {
  const { memory } = variables;
  return isMapping(memory) ? { ...memory, ...variables } : variables;
}

/**
 * Returns the data that a message carries beside its text, such as the result of a boss; undefined if it carries none.
 */
export function carriedData({ content }: Pick<MessageBody, 'content'>): Readonly<Record<string, unknown>> | undefined {
  return typeof content === 'string' ? undefined : content.find((block) => block.type === 'data')?.data;
}

/**
 * Returns the structured data of a message: its first data block, or the fields of a text that is a JSON object; else
 * empty. Throws DATA_TOO_LARGE for a text with so many values that parsing it would delay other work.
 */
export function dataOf({ content }: Pick<MessageBody, 'content'>): Readonly<Record<string, unknown>> {
  const carried = carriedData({ content });
  if (carried !== undefined) return carried;
  const text = typeof content === 'string' ? content : content.map((one) => one.text ?? '').join('');
  if (startsObject(text) && hasTooManyValues(text))
    throw new NodeError(
      'DATA_TOO_LARGE',
      `A text with more than ${maxJsonValues.toLocaleString('en')} values in JSON is not read as structured data.`,
    );
  return parseJsonFields(text);
}

const startsObject = (text: string): boolean => text.trimStart().startsWith('{');

/** Returns the fields of a JSON object; none for any other text, or one that nests too deeply. */
export function parseJsonFields(text: string): Readonly<Record<string, unknown>> {
  if (!startsObject(text) || nestsTooDeeply(text)) return {};
  try {
    const value: unknown = JSON.parse(text);
    return isMapping(value) ? value : {};
  } catch {
    // Text that is not JSON has no fields.
    return {};
  }
}

/**
 * Returns the value at a dotted path of fields and positions in lists, such as `command_args.code`; undefined if it does not
 * exist.
 */
export function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const field of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, field)) return undefined;
    if (Array.isArray(found) && field === 'length') return undefined;
    found = Reflect.get(found, field);
  }
  return found;
}

/** Returns whether a value is a mapping, as JSON has them. */
export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
