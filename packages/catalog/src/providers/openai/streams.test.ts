import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SpeakingServer } from '../../../test-support/speaking-server.ts';
import { back, picture, startSpeakingServer, user } from '../../../test-support/speaking-server.ts';
import { openai } from './openai.ts';

let server: SpeakingServer;
beforeEach(async () => {
  server = await startSpeakingServer();
});
afterEach(() => server.close());

describe('openai', () => {
  it('assembles calls from their parts, with or without an index, and reads the usage at the end', async () => {
    server.say([
      { choices: [{ delta: { content: 'I ' } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, id: 'c1', function: { name: 'add', arguments: '{"a"' } }] } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] } }] },
      { choices: [{ delta: { tool_calls: [{ id: 'c2', function: { name: 'sub', arguments: '{}' } }] } }] },
      { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
      { choices: [], usage: { prompt_tokens: 9, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 3 } } },
    ]);

    expect(await server.ask(openai, [user])).toEqual({
      text: 'I ',
      end: 'calls',
      toolCalls: [
        { id: 'c1', name: 'add', arguments: '{"a":1}' },
        { id: 'c2', name: 'sub', arguments: '{}' },
      ],
      usage: { promptTokens: 9, completionTokens: 4, cachedTokens: 3 },
      finishReason: 'tool_calls',
    });
    expect(server.bodies[0]).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it('makes no list of a billion of the index of a call', async () => {
    server.say([
      { choices: [{ delta: { tool_calls: [{ index: 1e9, id: 'c1', function: { name: 'add', arguments: '{}' } }] } }] },
      { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
    ]);

    expect((await server.ask(openai, [user])).toolCalls).toEqual([{ id: 'c1', name: 'add', arguments: '{}' }]);
  });

  it.each([
    [{ message: 'overloaded' }, 'MODEL_SERVER_ERROR', true],
    [{ message: 'slow down', code: 429 }, 'MODEL_RATE_LIMITED', true],
  ])('reports an error in the middle of a stream: %j', async (error, code, transient) => {
    server.say([{ choices: [{ delta: { content: 'half' } }] }, { error }]);

    await expect(server.ask(openai, [user])).rejects.toMatchObject({ code, transient });
  });

  it('reads one of several answers to a request', async () => {
    const choice = (index: number | undefined, content: string, finish_reason?: string) => ({
      choices: [{ index, delta: { content }, finish_reason }],
    });
    server.say([choice(0, 'Yes'), choice(1, 'No'), choice(undefined, '!', 'stop'), choice(1, '?', 'length')]);

    expect(await server.ask(openai, [user], { n: 2 })).toMatchObject({ text: 'Yes!', end: 'stop' });
  });

  it('does not take the refusal of a proxy for one of streams', async () => {
    server.say({ status: 400, message: 'the upstream server refused the request' });

    await expect(server.ask(openai, [user])).rejects.toMatchObject({ code: 'MODEL_BAD_REQUEST' });
    expect(server.bodies.map((body) => body['stream'])).toEqual([true]);
  });

  it('repeats a request without streaming when a server refuses to stream, and remembers that', async () => {
    server.say({ status: 400, message: 'stream is not supported' }, [
      { choices: [{ delta: { content: 'after all' }, finish_reason: 'stop' }] },
    ]);
    expect((await server.ask(openai, [user])).text).toBe('after all');
    await server.ask(openai, [user]);

    expect(server.bodies.map((body) => body['stream'])).toEqual([true, undefined, undefined]);
  });

  it('returns reasoning items with their call, over the Responses API', async () => {
    const thought = { type: 'reasoning', id: 'r1', summary: [], encrypted_content: 'sealed' };
    const output = [thought, { type: 'function_call', call_id: 'c1', name: 'add', arguments: '{}' }];
    const usage = { input_tokens: 8, output_tokens: 2, input_tokens_details: { cached_tokens: 5 } };
    server.say([{ type: 'response.completed', response: { status: 'completed', output, usage } }]);
    const params = { protocol: 'responses', max_tokens: 7 };

    const reply = await server.ask(openai, [user, picture], params);
    await server.ask(openai, back(reply, '3'), params);

    expect(reply).toMatchObject({
      finishReason: 'completed',
      usage: { promptTokens: 8, completionTokens: 2, cachedTokens: 5 },
    });
    expect(server.bodies[0]).toMatchObject({
      max_output_tokens: 7,
      input: [
        { role: 'user', content: 'go' },
        {
          content: [
            { type: 'input_text', text: 'look' },
            { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
            { type: 'input_file', filename: 'd.pdf', file_data: 'data:application/pdf;base64,BBBB' },
          ],
        },
      ],
    });
    expect(server.bodies[1]).toMatchObject({
      input: [
        { content: 'go' },
        thought,
        { type: 'function_call', call_id: 'c1', name: 'add' },
        { type: 'function_call_output', call_id: 'c1', output: '3' },
      ],
    });
  });

  it.each([
    [{ type: 'error', code: 'server_error', message: 'broken' }, 'MODEL_SERVER_ERROR'],
    [
      { type: 'response.failed', response: { output: [], error: { code: 'rate_limit_exceeded', message: 'slow' } } },
      'MODEL_RATE_LIMITED',
    ],
  ])('reports a failed response: %j', async (failed, code) => {
    server.say([failed]);

    await expect(server.ask(openai, [user], { protocol: 'responses' })).rejects.toMatchObject({
      code,
      transient: true,
    });
  });
});
