import type { ChatMessage, ChatRequest } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { profileOf } from '../../../test-support/profile-of.ts';
import { retryPolicyOf } from '../../nodes/retry-config.ts';
import { prepareRequest } from '../send-with-additions.ts';
import { chatBody } from './request.ts';

/** A request for a server of which nothing is known. */
const prepared = (request: ChatRequest) =>
  prepareRequest(request, { profile: profileOf({ ...request, baseUrl: 'http://localhost:8000/v1' }) });

const sent = (...messages: readonly ChatMessage[]) =>
  chatBody(prepared({ provider: 'openai', model: 'm', messages, params: {}, retry: retryPolicyOf(undefined) }))
    .messages;

describe('the messages sent to OpenAI', () => {
  it('keep roles, tool calls and their results', () => {
    const messages: ChatMessage[] = [
      { role: 'system', content: 'S' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'add', arguments: '{}' }] },
      { role: 'tool', content: [{ type: 'text', text: '3' }], toolCallId: 'c1' },
    ];
    expect(sent(...messages)).toEqual([
      { role: 'system', content: 'S' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{}' } }],
      },
      { role: 'tool', content: '3', tool_call_id: 'c1' },
    ]);
  });

  it('carry a single text block as plain text', () => {
    expect(sent({ role: 'user', content: [{ type: 'text', text: 'hi' }] })).toEqual([{ role: 'user', content: 'hi' }]);
  });

  it('carry images by their address and describe other attachments', () => {
    const attachment = { id: 'f1', name: 'cat.png', mimeType: 'image/png' };
    const content: ChatMessage['content'] = [
      { type: 'text', text: 'look' },
      { type: 'image', attachment: { ...attachment, uri: 'data:image/png;base64,AA==' } },
      { type: 'image', attachment },
    ];
    expect(sent({ role: 'user', content })).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          { type: 'text', text: '[image attachment: cat.png]' },
        ],
      },
    ]);
  });
});

describe('the tools sent to OpenAI', () => {
  const tool = { name: 'add', description: 'Adds.', parameters: { type: 'object' } };
  const body = (params: Record<string, unknown>, tools: readonly (typeof tool)[] = [tool]) =>
    chatBody(
      prepared({ provider: 'openai', model: 'm', messages: [], params, tools, retry: retryPolicyOf(undefined) }),
    );
  const own = { type: 'web_search' };

  it('follow those of the params', () => {
    expect(body({ tools: [own] })).toMatchObject({
      tools: [own, { type: 'function', function: tool }],
      tool_choice: 'auto',
    });
  });

  it('obey the tool_choice of the params', () => {
    expect(body({ tool_choice: 'required' }).tool_choice).toBe('required');
  });

  it('are absent when there are none', () => {
    expect(body({}, [])).toEqual({ model: 'm', messages: [] });
  });

  it('must be a list in the params', () => {
    expect(() => body({ tools: 'all' })).toThrow('The param `tools` is not a list.');
  });
});
