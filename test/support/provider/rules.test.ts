import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../fixtures.ts';
import { startFakeProvider } from './provider.ts';
import { post } from './raw-client.ts';

const provider = openBeforeAll(() => startFakeProvider());

const user = { role: 'user', content: 'hi' };
const tool = { type: 'function', function: { name: 'add', parameters: { type: 'object' } } };
const flatTool = { type: 'function', name: 'add', parameters: { type: 'object' } };
const call = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{}' } };
const chat = (body: object) => ['openai/v1/chat/completions', { messages: [user], ...body }] as const;
const responses = (body: object) => ['openai/v1/responses', { input: 'hi', ...body }] as const;
const messages = (body: object) => ['anthropic/v1/messages', { max_tokens: 2000, messages: [user], ...body }] as const;
const content = (model: string, body: object) =>
  [
    `gemini/v1beta/models/${model}:generateContent`,
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], ...body },
  ] as const;
const compatible = (body: object) =>
  ['compatible/v1/chat/completions', { model: 'm', messages: [user], ...body }] as const;

describe('a prompt that is longer than the context of its model is refused', () => {
  const small = openBeforeAll(() => startFakeProvider({ context: 100 }));
  const long = 'x'.repeat(1000);
  const said = [{ role: 'user', content: long }];
  it.each([
    ['chat', chat({ model: 'gpt-4o', messages: said }), "This model's maximum context length is 100 tokens."],
    ['chat, with its answer', chat({ model: 'gpt-4o', max_tokens: 99 }), 'However, you requested '],
    [
      'responses',
      responses({ model: 'gpt-6-sol', input: long }),
      'Your input exceeds the context window of this model.',
    ],
    [
      'messages',
      messages({ model: 'claude-haiku-4-5', messages: said }),
      /prompt is too long: \d+ tokens > 100 maximum/,
    ],
    [
      'content',
      content('gemini-3.5-flash', { contents: [{ role: 'user', parts: [{ text: long }] }] }),
      'exceeds the maximum number of tokens allowed (100).',
    ],
  ])('by the API of %s', async (_api, [path, body], message) => {
    const { status, text } = await post(small, path, body);

    expect(status).toBe(400);
    expect(text).toMatch(message);
  });
});

describe('a vendor refuses, in its own words,', () => {
  it.each([
    // OpenAI, chat completions.
    [
      chat({ model: 'gpt-5-mini', temperature: 0.7 }),
      "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.",
    ],
    [chat({ model: 'gpt-6-sol', temperature: 0.7 }), "'temperature' does not support 0.7"],
    [
      chat({ model: 'gpt-6-sol', max_tokens: 5 }),
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ],
    [
      chat({ model: 'gpt-6-sol', tools: [tool] }),
      "Function tools with reasoning_effort are not supported for gpt-6-sol in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    ],
    [
      chat({ model: 'gpt-5.4', tools: [tool], reasoning_effort: 'low' }),
      'Function tools with reasoning_effort are not supported for gpt-5.4',
    ],
    [
      chat({ model: 'gpt-6.1-sol', reasoning_effort: 'none' }),
      "'reasoning_effort' does not support 'none' with this model. Supported values are: 'low', 'medium'",
    ],
    [chat({ model: 'gpt-4o', reasoning_effort: 'low' }), "Unsupported parameter: 'reasoning_effort'"],
    [
      chat({ model: 'gpt-4o', max_tokens: 20_000 }),
      'max_tokens is too large: 20000. This model supports at most 16384',
    ],
    [chat({ model: 'gpt-4o', foo: 1 }), 'Unrecognized request argument supplied: foo'],
    [chat({ model: 'gpt-4o', tool_choice: 'auto' }), "'tool_choice' is only allowed when 'tools' are specified."],
    [
      chat({ model: 'gpt-4o', stream_options: {} }),
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    ],
    [chat({ model: 'gpt-4o', messages: [] }), "Invalid 'messages': empty array."],
    [
      chat({ model: 'gpt-4o', messages: [user, { role: 'tool', tool_call_id: 'c1', content: '3' }] }),
      "must be a response to a preceeding message with 'tool_calls'",
    ],
    [
      chat({ model: 'gpt-4o', messages: [user, { role: 'assistant', content: null, tool_calls: [call] }, user] }),
      'The following tool_call_ids did not have response messages: c1',
    ],
    [
      chat({ model: 'gpt-4o', messages: [{ ...user, reasoning_content: 'hm' }] }),
      "Unknown parameter: 'messages[0].reasoning_content'.",
    ],
    [chat({ model: 'a-model-of-tomorrow', temperature: 0.7 }), "'temperature' does not support 0.7"],
    // OpenAI, responses.
    [
      responses({ model: 'gpt-6-sol', temperature: 1 }),
      "Unsupported parameter: 'temperature' is not supported with this model.",
    ],
    [
      responses({ model: 'gpt-6-sol', max_output_tokens: 5 }),
      "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 5 instead.",
    ],
    [responses({ model: 'gpt-6-sol', foo: 1 }), "Unknown parameter: 'foo'."],
    [
      responses({ model: 'gpt-6-sol', input: [{ type: 'function_call_output', call_id: 'c1', output: '3' }] }),
      'No tool call found for function call output with call_id c1.',
    ],
    [
      responses({
        model: 'gpt-6-sol',
        input: [{ type: 'function_call', call_id: 'c1', name: 'add', arguments: '{}' }],
      }),
      'No tool output found for function call c1.',
    ],
    [
      responses({
        model: 'gpt-6-sol',
        input: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'forged' }],
      }),
      'The encrypted content for item rs_1 could not be verified.',
    ],
    // Anthropic.
    [messages({ model: 'claude-sonnet-5-5', max_tokens: undefined }), 'max_tokens: Field required'],
    [messages({ model: 'claude-sonnet-5-5', temperature: 0.7 }), '`temperature` is deprecated for this model.'],
    [
      messages({ model: 'claude-sonnet-5-5', thinking: { type: 'enabled', budget_tokens: 1024 } }),
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive"',
    ],
    [
      messages({ model: 'claude-sonnet-5-5', thinking: { type: 'disabled' } }),
      '"thinking.type.disabled" is not supported',
    ],
    [
      messages({
        model: 'claude-sonnet-5-5',
        tools: [{ name: 'add', input_schema: {} }],
        tool_choice: { type: 'any' },
      }),
      'tool_choice: "any" is not supported for this model',
    ],
    [
      messages({ model: 'claude-sonnet-5-5', messages: [user, { role: 'assistant', content: 'I' }] }),
      'does not support assistant message prefill',
    ],
    [
      messages({ model: 'claude-haiku-4-5', temperature: 0.7, top_p: 0.9 }),
      '`temperature` and `top_p` cannot both be specified',
    ],
    [messages({ model: 'claude-haiku-4-5', foo: 1 }), 'foo: Extra inputs are not permitted'],
    [
      messages({ model: 'claude-haiku-4-5', max_tokens: 1_000_000 }),
      'max_tokens: 1000000 > 64000, which is the maximum allowed number of output tokens',
    ],
    [
      messages({ model: 'claude-haiku-4-5', messages: [{ role: 'user', content: ' ' }] }),
      'text content blocks must contain non-whitespace text',
    ],
    [
      messages({
        model: 'claude-haiku-4-5',
        messages: [
          user,
          { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'add', input: {} }] },
          user,
        ],
      }),
      '`tool_use` ids were found without `tool_result` blocks immediately after: t1',
    ],
    [
      messages({
        model: 'claude-haiku-4-5',
        messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: '3' }] }],
      }),
      'unexpected `tool_use_id` found in `tool_result` blocks: t1',
    ],
    [
      messages({
        model: 'claude-haiku-4-5',
        messages: [
          user,
          { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 'forged' }] },
          user,
        ],
      }),
      'Invalid `signature` in `thinking` block',
    ],
    // Google.
    [content('gemini-3.8-flash', { foo: 1 }), 'Invalid JSON payload received. Unknown name "foo": Cannot find field.'],
    [
      content('gemini-3.8-flash', {
        generationConfig: { thinkingConfig: { thinkingLevel: 'LOW', thinkingBudget: 5 } },
      }),
      'You can only set only one of thinking budget and thinking level.',
    ],
    [
      content('gemini-3.8-flash', {
        contents: [
          { role: 'user', parts: [{ text: 'hi' }] },
          { role: 'model', parts: [{ functionCall: { name: 'add' } }] },
          { role: 'user', parts: [{ functionResponse: { name: 'add' } }] },
        ],
      }),
      'Function call is missing a thought_signature in functionCall parts.',
    ],
    [content('gemini-2.5-pro', { contents: [] }), 'contents is not specified'],
    // Others.
    [compatible({ max_completion_tokens: 5 }), 'Extra inputs are not permitted'],
    [compatible({ tools: [tool], tool_choice: 'required' }), "Input should be 'none' or 'auto'"],
  ])('%j', async ([path, body], sentence) => {
    const { status, text } = await post(provider, path, body);

    expect([400, 422]).toContain(status);
    expect(text.replaceAll('\\"', '"')).toContain(sentence);
  });

  it('names a parameter, a kind or details in the shape of its API', async () => {
    const openai = await post(provider, ...chat({ model: 'gpt-5-mini', temperature: 0.7 }));
    const anthropic = await post(provider, ...messages({ model: 'claude-haiku-4-5', foo: 1 }));
    const gemini = await post(provider, ...content('gemini-3.8-flash', { foo: 1 }));

    expect(openai.body).toMatchObject({
      error: { type: 'invalid_request_error', param: 'temperature', code: 'unsupported_value' },
    });
    expect(anthropic.body).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect(gemini.body).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT', details: [{}] } });
  });

  it('models that are gone, and requests without a key', async () => {
    expect(await post(provider, ...chat({ model: 'gpt-4' }))).toMatchObject({
      status: 404,
      body: { error: { code: 'model_not_found' } },
    });
    expect(await post(provider, ...chat({ model: 'gpt-4o' }), {})).toMatchObject({ status: 401 });
    expect(await post(provider, ...messages({ model: 'claude-haiku-4-5' }), {})).toMatchObject({ status: 401 });
  });
});

describe('a vendor accepts', () => {
  it.each([
    [chat({ model: 'gpt-4o', temperature: 0.7, max_tokens: 5, stop: 'x' })],
    [chat({ model: 'gpt-6-sol', temperature: 0.7, reasoning_effort: 'none', tools: [tool] })],
    [chat({ model: 'gpt-6-sol', max_completion_tokens: 50 })],
    [chat({ model: 'gpt-5.4', temperature: 0.7, tools: [tool], tool_choice: 'required' })],
    [responses({ model: 'gpt-6-sol', tools: [flatTool], tool_choice: 'required', reasoning: { effort: 'high' } })],
    [messages({ model: 'claude-sonnet-5-5', thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } })],
    [
      messages({
        model: 'claude-haiku-4-5',
        temperature: 0.7,
        tools: [{ name: 'add', input_schema: {} }],
        tool_choice: { type: 'any' },
      }),
    ],
    [messages({ model: 'claude-sonnet-4-5', messages: [user, { role: 'assistant', content: 'I' }] })],
    [content('gemini-3.8-flash', { generationConfig: { temperature: 0.7, thinkingConfig: { thinkingLevel: 'LOW' } } })],
    [compatible({ temperature: 0.7, max_tokens: 5, tools: [tool], tool_choice: 'auto' })],
  ])('%j', async ([path, body]) => {
    expect(await post(provider, path, body)).toMatchObject({ status: 200 });
  });

  it('signed thoughts that come back with their calls, and refuses the calls without them', async () => {
    const asking = { model: 'claude-sonnet-5-5', tools: [{ name: 'add', input_schema: {} }] };
    const { body } = await post(provider, ...messages(asking));
    const [thinking, use] = body['content'] as [object, { id: string }]; // a model that always thinks calls its tool
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: use.id, content: '3' }] };
    const withBlocks = (blocks: readonly object[]) =>
      post(provider, ...messages({ ...asking, messages: [user, { role: 'assistant', content: blocks }, result] }));

    expect(await withBlocks([thinking, use])).toMatchObject({ status: 200 });
    expect((await withBlocks([use])).text).toContain('must start with a thinking block');
  });
});
