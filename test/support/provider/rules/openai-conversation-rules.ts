import { itemsOf } from '../dialects/openai-responses.ts';
import type { Issued } from '../issued.ts';
import type { Json, Turn } from '../turn.ts';
import { objectsOf, textOf } from '../turn.ts';
import type { Fields } from './fields.ts';
import { fieldProblem } from './fields.ts';
import { missing, quoted, worded } from './openai-words.ts';
import type { Refusal } from './refusal.ts';
import { firstRefusal, invalid } from './refusal.ts';

const spoken: Fields = { role: 'string', content: 'string|array', name: 'string' };
const messageFields: Readonly<Record<string, Fields>> = {
  system: spoken,
  developer: spoken,
  user: spoken,
  assistant: { ...spoken, refusal: 'string', audio: 'object', tool_calls: 'array', function_call: 'object' },
  tool: { role: 'string', content: 'string|array', tool_call_id: 'string' },
};

/** Returns the refusal of messages that are incomplete, or in a wrong order. */
export function messagesRefusal({ messages: given }: Json): Refusal | undefined {
  if (given == null) return missing('messages');
  const messages = objectsOf(given);
  if (messages.length === 0)
    return invalid(
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      { param: 'messages', code: 'empty_array' },
    );
  let open: readonly string[] = [];
  for (const [at, message] of messages.entries()) {
    const answers = textOf(message['tool_call_id']);
    const isTool = message['role'] === 'tool';
    const refusal = firstRefusal(
      () => messageRefusal(message, at),
      () => isTool && !open.includes(answers) && unasked(at),
      () => !isTool && open.length > 0 && unanswered(open, at),
    );
    if (refusal !== undefined) return refusal;
    open = isTool ? open.filter((id) => id !== answers) : objectsOf(message['tool_calls']).map(({ id }) => textOf(id));
  }
  return open.length > 0 ? unanswered(open, messages.length) : undefined;
}

function messageRefusal(message: Json, at: number): Refusal | undefined {
  const role = textOf(message['role']);
  const fields = messageFields[role];
  if (fields === undefined)
    return invalid(`Invalid value: '${role}'. Supported values are: ${quoted(Object.keys(messageFields))}.`, {
      param: `messages[${at}].role`,
      code: 'invalid_value',
    });
  const problem = fieldProblem(message, fields);
  if (problem !== undefined) return worded({ ...problem, name: `messages[${at}].${problem.name}` }, false);
  if (message['content'] != null || Array.isArray(message['tool_calls'])) return undefined;
  return role === 'assistant'
    ? invalid("Invalid value for 'content': expected a string, got null.", { param: `messages.[${at}].content` })
    : missing(`messages[${at}].content`);
}

const unasked = (at: number): Refusal =>
  invalid(
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    {
      param: `messages.[${at}].role`,
    },
  );
const unanswered = (ids: readonly string[], at: number): Refusal =>
  invalid(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(', ')}`,
    { param: `messages.[${at}].role` },
  );

/** Returns the refusal of items of a response that belong to nothing, or that the vendor does not know. */
export function itemsRefusal({ body, key }: Turn, issued: Issued): Refusal | undefined {
  if (['input', 'previous_response_id', 'prompt'].every((name) => body[name] == null)) return missing('input');
  const items = itemsOf(body);
  const idsOf = (type: string) => items.filter((item) => item['type'] === type).map(({ call_id }) => textOf(call_id));
  const [calls, outputs] = [idsOf('function_call'), idsOf('function_call_output')];
  const orphan = outputs.find((id) => !calls.includes(id));
  const open = calls.find((id) => !outputs.includes(id));
  return firstRefusal(
    () =>
      orphan !== undefined &&
      invalid(`No tool call found for function call output with call_id ${orphan}.`, { param: 'input' }),
    () => open !== undefined && invalid(`No tool output found for function call ${open}.`, { param: 'input' }),
    ...items.map((item, at) => () => reasoningRefusal(item, items[at + 1], { key, issued })),
  );
}

function reasoningRefusal(
  item: Json,
  next: Json | undefined,
  { key, issued }: { readonly key: string; readonly issued: Issued },
): Refusal | undefined {
  if (item['type'] !== 'reasoning') return undefined;
  const [id, encrypted] = [textOf(item['id']), textOf(item['encrypted_content'])];
  if (encrypted === '' && !issued.isStored(id))
    return {
      refuse: 404,
      message: `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
      param: 'input',
    };
  if (encrypted !== '' && !issued.isOf(encrypted, key))
    return invalid(`The encrypted content for item ${id} could not be verified.`, {
      code: 'invalid_encrypted_content',
    });
  const follows = ['function_call', 'reasoning'].includes(textOf(next?.['type'])) || next?.['role'] === 'assistant';
  return follows
    ? undefined
    : invalid(`Item '${id}' of type 'reasoning' was provided without its required following item.`, { param: 'input' });
}
