import type { ChatMessage, ChatReply, Host, JsonSchema, Message } from '@millrace/core';
import { isMapping, isTooDeep, NodeError, textOf } from '@millrace/core';
import { jsonrepair } from 'jsonrepair';
import { fencedBlocks } from '../../regex/fenced-blocks.ts';
import type { Validated } from '../../schema/schema-validator.ts';
import { validateObject } from '../../schema/schema-validator.ts';
import { dataBlock, schemaOf } from '../data-output.ts';
import type { OutputConfig } from './output-config.ts';

/*
 * The answer of an agent with an `output`: validated here, whatever the provider promises, and asked for again a bounded number
 * of times. Each request is a step of the journal, so an attempt after a crash comes to the same answer without new calls.
 */

/** An answer of a model, and the conversation that led to it. */
export interface GivenAnswer {
  readonly message: Message;
  readonly conversation: readonly ChatMessage[];
  /** The reply ended as it should; the text of one that was cut is not asked for again. */
  readonly isWhole: boolean;
}

/** An agent whose answers have a form. */
export interface TypedAgent {
  readonly host: Host;
  readonly output: OutputConfig;
  /** Asks the model for another answer, without other tools. */
  ask(messages: readonly ChatMessage[]): Promise<ChatReply>;
}

type Data = Readonly<Record<string, unknown>>;

/** Returns the output for an answer: a message with one block of data. Throws OUTPUT_INVALID if no answer matches. */
export async function typedOutput(agent: TypedAgent, given: GivenAnswer): Promise<Message> {
  const { host, output, ask } = agent;
  const schema = schemaOf(output);
  let text = textOf(given.message);
  let checked = await readAnswer(text, schema);
  let conversation = given.conversation;
  for (let left = given.isWhole ? output.repair : 0; checked.type === 'invalid' && left > 0; left--) {
    conversation = [...conversation, ...complaint(text, checked.problems)];
    const reply = await ask(conversation);
    ({ text } = reply);
    checked = await readAnswer(text, schema);
    if (!isWholeReply(reply)) break;
  }
  if (checked.type === 'valid') {
    return { ...given.message, content: [await dataBlock(host, output, checked.data)] };
  }
  const message = `The answer of the model does not match the schema of \`output\`: ${checked.problems.join('; ')}`;
  if (output.on_invalid === 'fail') throw new NodeError('OUTPUT_INVALID', `${message}. It begins: ${start(text)}`);
  host.warn({ code: 'W_OUTPUT_INVALID', message: `${message}; its text is passed on as it is.` });
  return { ...given.message, content: text };
}

/** Returns whether a reply ended as it should. */
export const isWholeReply = ({ end }: ChatReply): boolean => ['stop', 'calls', 'unknown'].includes(end);

const start = (text: string): string => Array.from(text).slice(0, 200).join('');

/** Maximum length of an answer that is repeated to the model. */
const mostRepeated = 20_000;

const complaint = (text: string, problems: readonly string[]): readonly ChatMessage[] => [
  ...(text.trim() === '' ? [] : [{ role: 'assistant' as const, content: text.slice(0, mostRepeated) }]),
  {
    role: 'user',
    content: [
      'Your answer does not match the required JSON Schema:',
      ...problems.map((problem) => `- ${problem}`),
      'Answer again with the whole corrected object.',
    ].join('\n'),
  },
];

/** Reads and validates an answer. */
async function readAnswer(text: string, schema: JsonSchema): Promise<Validated<Data>> {
  const value = objectIn(text);
  if (value === undefined) return { type: 'invalid', problems: ['it is not a JSON object'] };
  return validateObject(schema, value);
}

/** Maximum length of an answer whose JSON is repaired: that takes quadratic time. */
const mostRepaired = 8 * 1024;

/** Returns the JSON object in a text: the text itself, a fenced block, or what is between the first brace and the last. */
function objectIn(text: string): Data | undefined {
  const whole = parsed(text, JSON.parse);
  if (whole !== undefined) return whole;
  const opening = text.indexOf('{');
  const braced = opening < 0 ? [] : [text.slice(opening, text.lastIndexOf('}') + 1)];
  const begun = opening < 0 || text.length > mostRepaired ? [] : [text.slice(opening)];
  for (const candidate of [...fencedBlocks(text), ...braced]) {
    const found = parsed(candidate, JSON.parse);
    if (found !== undefined) return found;
  }
  return begun.map((candidate) => parsed(candidate, (written) => JSON.parse(jsonrepair(written)))).find(Boolean);
}

function parsed(text: string, read: (text: string) => unknown): Data | undefined {
  try {
    const value = read(text);
    // What validates and writes it is recursive.
    return isMapping(value) && !isTooDeep(value) ? value : undefined;
  } catch {
    // Not JSON: the next part, or the next way of reading, may be.
    return undefined;
  }
}
