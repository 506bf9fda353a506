import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SpeakingServer } from '../../test-support/speaking-server.ts';
import { back, picture, startSpeakingServer, user } from '../../test-support/speaking-server.ts';
import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';

let server: SpeakingServer;
beforeEach(async () => {
  server = await startSpeakingServer();
});
afterEach(() => server.close());

describe('anthropic', () => {
  const start = (usage: object) => ({
    type: 'message_start',
    message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage },
  });
  const block = (index: number, content_block: object, delta: object) => [
    { type: 'content_block_start', index, content_block },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ];
  const end = (stop_reason: string) => [
    { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 6 } },
    { type: 'message_stop' },
  ];

  it('returns signed thinking blocks with their call, before the text of the reply', async () => {
    server.say([
      start({ input_tokens: 2, output_tokens: 0, cache_read_input_tokens: 5, cache_creation_input_tokens: 1 }),
      ...block(0, { type: 'thinking', thinking: 'hm', signature: 'sig' }, { type: 'thinking_delta', thinking: '!' }),
      ...block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'I add.' }),
      ...block(
        2,
        { type: 'tool_use', id: 'c1', name: 'add', input: {} },
        { type: 'input_json_delta', partial_json: '{"a":1}' },
      ),
      ...end('tool_use'),
    ]);

    const reply = await server.ask(anthropic, [{ role: 'system', content: 'S' }, picture]);
    await server.ask(anthropic, back(reply, '3'));

    expect(reply).toMatchObject({
      text: 'I add.',
      finishReason: 'tool_use',
      usage: { promptTokens: 8, completionTokens: 6, cachedTokens: 5 },
      toolCalls: [{ id: 'c1', name: 'add', arguments: '{"a":1}' }],
    });
    expect(server.bodies[0]).toMatchObject({
      system: 'S',
      max_tokens: 8192,
      messages: [
        {
          content: [
            { text: 'look' },
            { type: 'image', source: { data: 'AAAA' } },
            { type: 'document', source: { data: 'BBBB' } },
          ],
        },
      ],
    });
    expect(server.bodies[0]).not.toHaveProperty('temperature');
    expect(server.bodies[1]).toMatchObject({
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm!', signature: 'sig' },
            { type: 'text', text: 'I add.' },
            { type: 'tool_use', id: 'c1' },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: '3' }] },
      ],
    });
  });

  it('sends the results of several calls in one turn, and no empty message', async () => {
    server.say([start({ input_tokens: 1, output_tokens: 0 }), ...end('end_turn')]);
    const toolCalls = ['c1', 'c2'].map((id) => ({ id, name: 'add', arguments: 'no JSON' }));
    await server.ask(anthropic, [
      { role: 'assistant', content: '', toolCalls },
      { role: 'tool', content: '1', toolCallId: 'c1' },
      { role: 'tool', content: '2', toolCallId: 'c2' },
      { role: 'user', content: '' },
    ]);

    expect(server.bodies[0]).toMatchObject({
      messages: [
        { role: 'user', content: [{ text: '(nothing)' }] },
        { role: 'assistant', content: [{ input: { arguments: 'no JSON' } }, { id: 'c2' }] },
        { role: 'user', content: [{ content: '1' }, { content: '2' }, { text: '(nothing)' }] },
      ],
    });
  });

  it('reports an error in the middle of a stream', async () => {
    server.say([
      start({ input_tokens: 1, output_tokens: 0 }),
      { type: 'error', error: { type: 'overloaded_error', message: 'busy' } },
    ]);

    await expect(server.ask(anthropic, [user])).rejects.toMatchObject({ code: 'MODEL_SERVER_ERROR', transient: true });
  });
});

describe('gemini', () => {
  it('returns signatures with their calls, and passes params under the names of the API', async () => {
    const parts = [
      { text: 'secret thought', thought: true },
      { text: 'So: ' },
      { functionCall: { name: 'add', args: { a: 1 } }, thoughtSignature: 'c2ln' },
    ];
    const usageMetadata = {
      promptTokenCount: 9,
      candidatesTokenCount: 2,
      thoughtsTokenCount: 3,
      cachedContentTokenCount: 4,
    };
    server.say([{ candidates: [{ content: { parts }, finishReason: 'STOP' }], usageMetadata }]);
    const params = {
      max_output_tokens: 5,
      safety_settings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }],
    };

    const reply = await server.ask(gemini, [{ role: 'system', content: 'S' }, picture], params);
    await server.ask(gemini, back(reply, '3'));

    expect(reply).toMatchObject({
      text: 'So: ',
      usage: { promptTokens: 9, completionTokens: 5, cachedTokens: 4 },
      toolCalls: [{ name: 'add', arguments: '{"a":1}', opaque: expect.stringMatching(/^[0-9a-f]{16}:c2ln$/) }],
    });
    expect(server.bodies[0]).toMatchObject({
      systemInstruction: { parts: [{ text: 'S' }] },
      generationConfig: { maxOutputTokens: 5 },
      safetySettings: [{ threshold: 'OFF' }],
      contents: [
        {
          parts: [{ text: 'look' }, { inlineData: { data: 'AAAA' } }, { inlineData: { mimeType: 'application/pdf' } }],
        },
      ],
    });
    expect(server.bodies[1]).toMatchObject({
      contents: [
        { role: 'user' },
        { role: 'model', parts: [{ text: 'So: ' }, { functionCall: { name: 'add' }, thoughtSignature: 'c2ln' }] },
        { role: 'user', parts: [{ functionResponse: { name: 'add', response: { output: '3' } } }] },
      ],
    });
  });

  it('reports that a prompt was refused', async () => {
    server.say([{ promptFeedback: { blockReason: 'SAFETY' } }]);

    expect(await server.ask(gemini, [user])).toEqual({ text: '', end: 'filter', finishReason: 'SAFETY' });
  });

  it('reports a wrong key as MODEL_AUTH', async () => {
    server.say({ status: 400, message: 'API key not valid. [API_KEY_INVALID]' });

    await expect(server.ask(gemini, [user])).rejects.toMatchObject({ code: 'MODEL_AUTH' });
  });
});
