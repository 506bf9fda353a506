import { rulesOf } from '../bill/models.ts';
import { blocksOf } from '../dialects/anthropic-messages.ts';
import type { Issued } from '../issued.ts';
import type { Reply, Said } from '../reply.ts';
import { defaultReply } from '../reply.ts';
import { openaiRefusal } from '../rules/openai-rules.ts';
import type { Refusal } from '../rules/refusal.ts';
import { invalid } from '../rules/refusal.ts';
import type { Json, Turn } from '../turn.ts';
import { isObject, objectOf, objectsOf, textOf } from '../turn.ts';
import type { Form } from './quirk-forms.ts';
import {
  callForm,
  errorAfterText,
  fieldOnFirstCall,
  messageForm,
  nullChoices,
  usageFirst,
  usageRepeated,
  withoutReason,
} from './quirk-forms.ts';

/** A way in which servers seen in the field differ from what their API promises. */
export interface Quirk {
  /** Refuses a request, beside the rules of the vendor. */
  refuse?(turn: Turn, issued: Issued): Refusal | undefined;
  /** Reply where the test has scripted none; `asked` counts the requests of a conversation from its first round. */
  reply?(turn: Turn, asked: number): Reply;
  /** Form of chat completions. */
  readonly form?: Form;
}

const saved = (path: string, content = `${path}\n`) => ({ name: 'save_file', arguments: { path, content } });
const twoFiles: Said = {
  calls: [
    { ...saved('a.txt'), id: 'call_a' },
    { ...saved('b.txt'), id: 'call_b' },
  ],
};
/** Replies with calls in the first round, and with a text afterwards. */
const first =
  (said: Said): NonNullable<Quirk['reply']> =>
  ({ rounds }) =>
    rounds === 0 ? said : 'Done.';
const always =
  (reply: Reply): NonNullable<Quirk['reply']> =>
  () =>
    reply;
const refuseAll = (refusal: Refusal): Quirk => ({ refuse: () => refusal });
const fn = (call: Json, change: Json): Json => ({ ...call, function: { ...objectOf(call['function']), ...change } });

const overloaded = {
  message: 'Provider returned error: model overloaded',
  code: 502,
  metadata: { provider_name: 'Fake', raw: 'overloaded' },
};
const thought = 'I will write the file.';

/** Refuses a conversation in which an assistant message with calls has come back without a field. */
const demands =
  (has: (message: Json) => boolean, refusal: (at: number) => Refusal): NonNullable<Quirk['refuse']> =>
  ({ body }) => {
    const at = objectsOf(body['messages']).findIndex(
      (message) => Array.isArray(message['tool_calls']) && !has(message),
    );
    return at < 0 ? undefined : refusal(at);
  };
const missingThoughts = (field: string) => (at: number) =>
  invalid(`Missing ${field} field in the assistant message at message index ${at}`);

/** Replies with a call and thoughts in a field, and wants the field back with the call. */
const thoughtsIn = (field: string, value: unknown): Quirk => ({
  reply: first({ thoughts: thought, calls: [saved('a.txt')] }),
  refuse: demands((message) => message[field] !== undefined, missingThoughts(field)),
  form: messageForm(({ reasoning_content: thoughts, ...message }) =>
    thoughts === undefined ? message : { ...message, [field]: value },
  ),
});

/** Quirks by the name that stands in the path of an address. */
export const quirks: Readonly<Record<string, Quirk>> = {
  ok: {},
  echo: { reply: ({ messages }) => messages.map(({ role, text }) => `${role}: ${text}`).join('\n') },

  // Ends of replies.
  cut: {
    reply({ body }, asked) {
      const conversation = JSON.stringify(body);
      if (!conversation.includes('line 1')) return { calls: [saved('log.txt', 'line 1\n')] };
      // A model that is told what happened writes less.
      if (asked > 2 || conversation.includes('was not executed')) return 'Done.';
      return {
        calls: [{ name: 'save_file', arguments: '{"path":"log.txt","content":"line 2\\n","mode":"app' }],
        end: 'length',
      };
    },
  },
  lengthempty: { reply: always({ text: '', reasoning: 256, end: 'length' }) },
  lengthcut: { reply: always({ text: '{"topics":["a","b', end: 'length' }) },
  filter: { reply: always({ text: '', end: 'filter' }) },
  refusal: { reply: always({ text: '', end: 'refusal' }) },
  malformed: {
    reply: (turn) =>
      turn.api === 'content'
        ? { end: 'malformed' }
        : { calls: [{ name: turn.tools[0]?.name ?? 'save_file', arguments: '{"path": "a.txt", content}' }] },
  },
  paused: {
    reply: ({ body }) =>
      objectsOf(body['messages']).at(-1)?.['role'] === 'assistant'
        ? { text: ' and this is the rest.' }
        : { text: 'This is the beginning', searches: 1, end: 'paused' },
  },
  context: {
    refuse: ({ api }) =>
      api === 'messages'
        ? undefined
        : invalid(
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
            { param: 'messages', code: 'context_length_exceeded' },
          ),
    reply: always({ text: 'This is as far as it', end: 'context' }),
  },

  // Thoughts.
  deepseek: thoughtsIn('reasoning_content', thought),
  reasoning: thoughtsIn('reasoning', thought),
  reasoningdetails: thoughtsIn('reasoning_details', [
    { type: 'reasoning.text', text: thought, signature: 's', index: 0 },
  ]),
  gemini3: {
    reply: first({ calls: [saved('a.txt')] }),
    refuse: demands(
      (message) => objectsOf(message['tool_calls']).some((call) => isObject(objectOf(call['extra_content'])['google'])),
      (at) => {
        const message = `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:save_file\` , position ${at + 1}.`;
        return invalid(message, { body: [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }] });
      },
    ),
    form: fieldOnFirstCall({ extra_content: { google: { thought_signature: 'c2lnbmF0dXJl' } } }),
  },
  think: {
    reply: always({
      text: '<think>The draft is long. I could say ACCEPT but the end is weak.</think>\n\nREJECT: too long',
    }),
  },
  thinkcut: { reply: always({ text: '<think>The draft is long. I could say ACCEPT but', end: 'length' }) },

  // Calls.
  index0: { reply: first(twoFiles), form: callForm((call) => ({ index: 0, ...call })) },
  index1: { reply: first(twoFiles), form: callForm((call, at) => ({ ...call, index: at + 1 }), { merge: false }) },
  noindexnoid: { reply: first(twoFiles), form: callForm(({ id: _id, ...call }) => call, { together: true }) },
  noid: { reply: first(twoFiles), form: callForm(({ id: _id, ...call }, index) => ({ index, ...call })) },
  twinids: { reply: first(twoFiles), form: callForm((call, index) => ({ index, ...call, id: 'call_1' })) },
  objectargs: {
    reply: first({ calls: [saved('a.txt')] }),
    form: callForm((call, index) => ({
      index,
      ...fn(call, { arguments: JSON.parse(textOf(objectOf(call['function'])['arguments'])) }),
    })),
  },
  nullargs: {
    reply: (turn) => defaultReply(turn),
    form: callForm((call, index) => ({ index, ...fn(call, { arguments: null }) })),
  },

  // Texts and streams.
  contentarray: {
    form: messageForm((message) =>
      typeof message['content'] === 'string' && message['content'] !== ''
        ? { ...message, content: [{ type: 'text', text: message['content'] }] }
        : message,
    ),
  },
  donewithoutreason: { form: withoutReason },
  choicesnull: { form: nullChoices },
  usagefirst: { form: usageFirst },
  usagerepeated: { form: usageRepeated },

  // Errors.
  error200: { reply: always({ body: { error: overloaded } }) },
  errorchunk: { form: errorAfterText(overloaded) },
  errorstring: {
    refuse: ({ model }) => {
      const error = `model '${model}' not found, try pulling it first`;
      return { refuse: 404, message: error, body: { error } };
    },
  },
  html: {
    reply: always({
      status: 502,
      headers: { 'content-type': 'text/html' },
      body: '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>',
    }),
  },
  geminierr: refuseAll({
    refuse: 429,
    message: 'Resource has been exhausted (e.g. check quota).',
    body: [
      {
        error: {
          code: 429,
          message: 'Resource has been exhausted (e.g. check quota).',
          status: 'RESOURCE_EXHAUSTED',
          details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2s' }],
        },
      },
    ],
  }),
  quota: refuseAll({
    refuse: 429,
    message: 'You exceeded your current quota, please check your plan and billing details.',
    type: 'insufficient_quota',
    code: 'insufficient_quota',
  }),
  billing402: refuseAll({
    refuse: 402,
    message: 'Insufficient Balance',
    type: 'unknown_error',
    code: 'invalid_request_error',
  }),

  // Requests.
  strict: { refuse: (turn, issued) => openaiRefusal(turn, rulesOf('openai', 'gpt-5-mini'), issued) },
  alternate: {
    refuse: ({ body }) => {
      const roles = objectsOf(body['messages'])
        .map(({ role }) => textOf(role))
        .filter((role) => role !== 'system' && role !== 'tool');
      return roles.every((role, at) => role === (at % 2 === 0 ? 'user' : 'assistant'))
        ? undefined
        : invalid('Conversation roles must alternate user/assistant/user/assistant/...');
    },
  },
};

/** Returns the first text of the user, by which the requests of a conversation are counted. */
export const conversationOf = ({ body, messages }: Turn): string =>
  JSON.stringify(messages.find(({ role }) => role === 'user') ?? blocksOf(body['system']));
