import { expect, it } from 'vitest';
import { openBeforeAll } from '../fixtures.ts';
import { startFakeProvider } from './provider.ts';
import { quirks } from './quirks/quirks.ts';
import { post } from './raw-client.ts';

const provider = openBeforeAll(() => startFakeProvider());
const user = { role: 'user', content: 'hi' };
const chat = (quirk: string, more: object = {}) =>
  post(provider, `${quirk}/v1/chat/completions`, { model: 'm', messages: [user], ...more });

/** What tells a reply of a quirk from others: in a whole reply, and in a stream. */
const marks: Readonly<Record<string, readonly [string | RegExp, string | RegExp]>> = {
  ok: ['"content":"Done."', 'data: [DONE]'],
  echo: ['user: hi', 'user: hi'],
  cut: ['line 1', 'line 1'],
  lengthempty: [/"content":"".*"finish_reason":"length".*"reasoning_tokens":256/, '"finish_reason":"length"'],
  lengthcut: ['{\\"topics\\":[\\"a\\",\\"b"', '"finish_reason":"length"'],
  filter: ['"finish_reason":"content_filter"', '"finish_reason":"content_filter"'],
  refusal: ['"refusal":"I\'m sorry', '"refusal":"I\'m sorry'],
  malformed: ['"arguments":"{\\"path\\": \\"a.txt\\", content}"', '"finish_reason":"tool_calls"'],
  paused: ['This is the beginning', '"delta":{"content"'],
  context: ['"code":"context_length_exceeded"', '"code":"context_length_exceeded"'],
  deepseek: ['"reasoning_content":"I will', '"reasoning_content":"I will'],
  reasoning: ['"reasoning":"I will', '"reasoning":"I will'],
  reasoningdetails: ['"reasoning_details":[', '"reasoning_details":['],
  gemini3: ['"thought_signature":', '"thought_signature":'],
  think: ['<think>', '<think>'],
  thinkcut: ['<think>', '"finish_reason":"length"'],
  index0: [/"index":0,"id":"call_a".*"index":0,"id":"call_b"/, /"index":0,"id":"call_a"[\s\S]*"index":0,"id":"call_b"/],
  index1: ['"index":1', /"index":1,"id":"call_a"[\s\S]*"index":2,"id":"call_b"/],
  noindexnoid: [/\[\{"type":"function"/, /\[\{"type":"function".*\},\{"type":"function"/],
  noid: ['{"index":1,"type":"function"', '{"index":1,"type":"function"'],
  twinids: [/"id":"call_1".*"id":"call_1"/, /"id":"call_1"[\s\S]*"id":"call_1"/],
  objectargs: ['"arguments":{"path"', '"arguments":{"path"'],
  nullargs: ['"content":"Done."', 'data: [DONE]'],
  contentarray: ['"content":[{"type":"text"', '"content":[{"type":"text"'],
  donewithoutreason: ['"finish_reason":null', /^(?!.*"finish_reason":")[\s\S]*\[DONE\]/],
  choicesnull: ['Done.', '"choices":null,"usage"'],
  usagefirst: ['Done.', /^data: [^\n]*"usage"/],
  usagerepeated: ['Done.', /("usage"[\s\S]*){5}/],
  error200: ['model overloaded', 'model overloaded'],
  errorchunk: ['model overloaded', /"delta"[\s\S]*model overloaded/],
  errorstring: ['{"error":"model \'m\' not found', '{"error":"model \'m\' not found'],
  html: ['<title>502 Bad Gateway</title>', '<title>502 Bad Gateway</title>'],
  geminierr: [/^\[\{"error".*"retryDelay":"2s"/, /^\[\{"error"/],
  quota: ['insufficient_quota', 'insufficient_quota'],
  billing402: ['Insufficient Balance', 'Insufficient Balance'],
  strict: ['Done.', 'Done.'],
  alternate: ['Done.', 'Done.'],
};

it('are all tried here', () => {
  expect(Object.keys(marks).sort()).toEqual(Object.keys(quirks).sort());
});

it.each(Object.entries(marks))('%s answers in its own way', async (quirk, [whole, streamed]) => {
  const asking = { stream: true, stream_options: { include_usage: true } };
  expect((await chat(quirk)).text).toMatch(whole);
  expect((await chat(quirk, asking)).text).toMatch(streamed);
});

it.each([
  ['nullargs', { tools: [{ type: 'function', function: { name: 'now' } }] }, '"arguments":null'],
  ['strict', { temperature: 0.7 }, '"param":"temperature"'],
  ['strict', { max_tokens: 5 }, '"param":"max_tokens"'],
  ['alternate', { messages: [user, user] }, 'Conversation roles must alternate'],
])('%s answers %j in its own way', async (quirk, body, mark) => {
  expect((await chat(quirk, body)).text).toContain(mark);
});

it.each(['deepseek', 'reasoning', 'reasoningdetails', 'gemini3'])(
  '%s wants its own field back with the calls',
  async (quirk) => {
    const { body } = await chat(quirk);
    const [{ message }] = body['choices'] as [{ message: { tool_calls: [{ id: string; function: object }] } }]; // a call
    const [{ id, function: called }] = message.tool_calls;
    const back = (said: object) =>
      chat(quirk, { messages: [user, said, { role: 'tool', tool_call_id: id, content: '3' }] });
    const bare = { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: called }] };

    expect(await back(message)).toMatchObject({ status: 200 });
    expect(await back(bare)).toMatchObject({ status: 400 });
  },
);

it('cuts the second call in the middle of its arguments, with the API of Anthropic too', async () => {
  const ask = (messages: readonly object[], more: object = {}) =>
    post(provider, 'cut/v1/messages', { model: 'm', max_tokens: 100, messages, ...more });
  const { body } = await ask([user]);
  const content = body['content'] as [{ id: string }]; // one call
  const talk = [
    user,
    { role: 'assistant', content },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: content[0].id, content: 'saved' }] },
  ];
  const streamed = await ask(talk, { stream: true });

  expect(streamed.text).toContain('"stop_reason":"max_tokens"');
  const written = [...streamed.text.matchAll(/"partial_json":("(?:[^"\\]|\\.)*")/g)].map(([, json = '""']) =>
    JSON.parse(json),
  );
  expect(written.join('')).toMatch(/"mode":"app$/);
  expect((await ask(talk)).body).toMatchObject({ stop_reason: 'end_turn', content: [{ text: 'Done.' }] });
});

it.each([
  ['refusal', 'refusal'],
  ['paused', 'pause_turn'],
  ['context', 'model_context_window_exceeded'],
])('%s has its own word at Anthropic', async (quirk, word) => {
  const body = { model: 'm', max_tokens: 9, messages: [user] };
  expect((await post(provider, `${quirk}/v1/messages`, body)).body).toMatchObject({ stop_reason: word });
});

it.each([
  ['filter', 'SAFETY'],
  ['malformed', 'MALFORMED_FUNCTION_CALL'],
])('%s has its own word at Google', async (quirk, word) => {
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  const { body } = await post(provider, `${quirk}/v1beta/models/m:generateContent`, { contents });
  expect(body).toMatchObject({ candidates: [{ finishReason: word }] });
});

it('answers 404 with the known names to a path that it does not know', async () => {
  expect(await chat('nonsense')).toMatchObject({ status: 404, text: expect.stringContaining('geminierr') });
});
