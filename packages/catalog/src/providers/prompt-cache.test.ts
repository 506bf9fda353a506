import type { ChatRequest, PromptReuse } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { profileOf } from '../../test-support/profile-of.ts';
import { retryPolicyOf } from '../nodes/retry-config.ts';
import type { Added } from './additions.ts';
import { anthropicBody } from './anthropic-request.ts';
import { chatBody } from './openai/request.ts';
import { responsesBody } from './openai/responses-request.ts';
import { prepareRequest } from './send-with-additions.ts';

const tools = [{ name: 'add', description: 'Adds.', parameters: { type: 'object' } }];
const system = { role: 'system' as const, content: 'Judge.' };

interface Asked extends Partial<ChatRequest> {
  readonly refused?: readonly Added[];
}

function bodyOf(provider: 'anthropic' | 'openai', model: string, { refused = [], ...more }: Asked = {}) {
  const messages = [system, { role: 'user' as const, content: 'hi' }];
  const request = { provider, model, messages, params: {}, retry: retryPolicyOf(undefined), ...more };
  const prepared = prepareRequest(request, { profile: profileOf(request), cacheKey: 'key' }, new Set(refused));
  const write = { chat: chatBody, responses: responsesBody }[prepared.additions.protocol];
  return (provider === 'anthropic' ? anthropicBody : write)(prepared) as unknown as Readonly<Record<string, unknown>>;
}

const reuse = (...parts: readonly ('whole' | 'start' | 'long')[]): PromptReuse => ({
  whole: parts.includes('whole'),
  start: parts.includes('start'),
  ...(parts.includes('long') ? { long: true } : {}),
});
const mark = { cache_control: { type: 'ephemeral' } };

describe('a request to Claude', () => {
  it('has a breakpoint that moves along, or one after the system prompt', () => {
    const whole = bodyOf('anthropic', 'claude-sonnet-5-5', { reuse: reuse('whole') });
    expect(whole).toMatchObject({ ...mark, system: [{ type: 'text', text: 'Judge.' }] });
    const start = bodyOf('anthropic', 'claude-sonnet-5-5', { reuse: reuse('start', 'long') });
    expect(start['system']).toEqual([
      { type: 'text', text: 'Judge.', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ]);
    expect(start).not.toHaveProperty('cache_control');
  });

  it('has it after the last tool if there is no system prompt', () => {
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const body = bodyOf('anthropic', 'claude-sonnet-5-5', {
      messages,
      tools: [...tools, { ...tools[0], name: 'sub', description: '', parameters: {} }],
      reuse: reuse('start'),
    });
    expect(body['tools']).toMatchObject([{ name: 'add' }, { name: 'sub', ...mark }]);
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(1);
  });

  it('has another breakpoint where the last one is too far from the request before', () => {
    const calls = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ id: `c${at}`, name: 'add', arguments: '{}' }));
    const marksIn = (count: number) => {
      const messages: ChatRequest['messages'] = [
        system,
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: '', toolCalls: calls(count) },
        ...calls(count).map(({ id: toolCallId }) => ({ role: 'tool' as const, content: '3', toolCallId })),
      ];
      const body = bodyOf('anthropic', 'claude-sonnet-5-5', { messages, tools, reuse: reuse('whole') });
      return JSON.stringify(body['messages']).split('cache_control').length - 1;
    };
    expect([marksIn(9), marksIn(12)]).toEqual([0, 1]);
  });

  it.each([
    ['nothing is repeated', { reuse: reuse() }],
    ['it is not known what is', {}],
    ['the author says what to keep', { reuse: reuse('whole', 'start'), params: { tools: [{ type: 'x', ...mark }] } }],
    ['the server has refused breakpoints', { reuse: reuse('whole', 'start'), refused: ['cache_control' as const] }],
  ])('has no breakpoint of ours where %s', (_why, asked: Asked) => {
    const { tools: _own, ...body } = bodyOf('anthropic', 'claude-sonnet-5-5', asked);
    expect(JSON.stringify(body)).not.toContain('cache_control');
  });

  it('has one on another server only where the author asks for it', () => {
    const baseUrl = 'http://localhost:8000';
    const both = reuse('whole', 'start');
    const bodies = [both, { ...both, written: true as const }].map((asked) =>
      JSON.stringify(bodyOf('anthropic', 'claude-sonnet-5-5', { reuse: asked, baseUrl })),
    );

    expect(bodies.map((body) => body.includes('cache_control'))).toEqual([false, true]);
  });

  it('has none for a model of a family that is not known', () => {
    const body = bodyOf('anthropic', 'another-model', { reuse: reuse('whole', 'start') });
    expect(JSON.stringify(body)).not.toContain('cache_control');
  });
});

describe('a request to OpenAI', () => {
  it('writes nothing for a prompt that is asked once', () => {
    const body = bodyOf('openai', 'gpt-6-sol', { reuse: reuse() });
    expect(body).toMatchObject({ prompt_cache_options: { mode: 'explicit' } });
    expect(body).not.toHaveProperty('prompt_cache_key');
  });

  it('names the cache of a conversation, and marks the start that others repeat', () => {
    const whole = bodyOf('openai', 'gpt-6-sol', { reuse: reuse('whole') });
    expect(whole).toMatchObject({ prompt_cache_key: 'key', input: [{ role: 'system', content: 'Judge.' }, {}] });
    expect(whole).not.toHaveProperty('prompt_cache_options');
    const breakpoint = { text: 'Judge.', prompt_cache_breakpoint: { mode: 'explicit' } };
    const options = { prompt_cache_key: 'key', prompt_cache_options: { mode: 'explicit' } };
    const start = bodyOf('openai', 'gpt-6-sol', { reuse: reuse('start') });
    expect(start).toMatchObject({
      ...options,
      input: [{ role: 'system', content: [{ type: 'input_text', ...breakpoint }] }, {}],
    });
    const chat = bodyOf('openai', 'gpt-6-sol', { reuse: reuse('start'), params: { protocol: 'chat' } });
    expect(chat).toMatchObject({
      ...options,
      messages: [{ role: 'system', content: [{ type: 'text', ...breakpoint }] }, {}],
    });
  });

  it('lets the server choose where it has refused marks', () => {
    const body = bodyOf('openai', 'gpt-6-sol', { reuse: reuse('start'), refused: ['cache_breakpoint'] });
    expect(body).toMatchObject({ prompt_cache_key: 'key', input: [{ content: 'Judge.' }, {}] });
    expect(body).not.toHaveProperty('prompt_cache_options');
  });

  it.each([
    ['gpt-5.5', {}],
    ['gpt-9', {}],
    ['gpt-6-sol', { baseUrl: 'http://localhost:8000/v1' }],
    ['gpt-6-sol', { params: { prompt_cache_retention: '24h' } }],
  ])('says nothing of caches for %s with %j', (model, more) => {
    const { prompt_cache_retention: _own, ...body } = bodyOf('openai', model, {
      reuse: reuse('whole', 'start'),
      ...more,
    });
    expect(JSON.stringify(body)).not.toContain('prompt_cache');
  });
});
