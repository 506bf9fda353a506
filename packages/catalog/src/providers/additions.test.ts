import type { ChatRequest, ProviderCall } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { profileOf } from '../../test-support/profile-of.ts';
import { retryPolicyOf } from '../nodes/retry-config.ts';
import { anthropicBody } from './anthropic-request.ts';
import { geminiConfig } from './gemini-request.ts';
import { chatBody } from './openai/request.ts';
import { responsesBody } from './openai/responses-request.ts';
import { prepareRequest } from './send-with-additions.ts';

const tools = [{ name: 'add', description: 'Adds.', parameters: { type: 'object' } }];
const local = 'http://localhost:8000/v1';

interface Asked extends Partial<ChatRequest> {
  readonly engine?: ProviderCall['engine'];
}

/** The body that a provider writes, without the conversation. */
function bodyOf(provider: string, model: string, { engine, ...more }: Asked = {}) {
  const messages = [{ role: 'user' as const, content: 'hi' }];
  const request = { provider, model, messages, params: {}, retry: retryPolicyOf(undefined), ...more };
  const prepared = prepareRequest(request, {
    profile: profileOf(request),
    ...(engine === undefined ? {} : { engine }),
  });
  const { protocol } = prepared.additions;
  const write =
    { anthropic: anthropicBody, gemini: geminiConfig }[provider] ??
    { chat: chatBody, responses: responsesBody }[protocol];
  const {
    messages: _messages,
    input: _input,
    model: _model,
    tools: _tools,
    ...body
  } = { ...write(prepared) } as Record<string, unknown>;
  return { protocol, body };
}

describe('a request of OpenAI’s API contains beside what the author wrote', () => {
  it.each([
    ['gpt-4o', undefined, 'chat', { temperature: 0.7 }],
    ['gpt-4o', local, 'chat', { temperature: 0.7 }],
    ['llama3.3', local, 'chat', { temperature: 0.7 }],
    ['qwen/qwen3-32b', local, 'chat', { temperature: 0.7 }],
    ['gpt-5', undefined, 'chat', {}],
    ['gpt-5.6-sol', undefined, 'responses', { store: false, include: ['reasoning.encrypted_content'] }],
    ['gpt-6.1-terra', undefined, 'responses', { store: false, include: ['reasoning.encrypted_content'] }],
    ['gpt-6-sol', local, 'chat', {}],
    ['gpt-9', undefined, 'responses', { store: false }],
    ['my-model', local, 'chat', {}],
  ])('for %s at %s, over %s: %j', (model, baseUrl, protocol, body) => {
    expect(bodyOf('openai', model, baseUrl === undefined ? {} : { baseUrl })).toEqual({ protocol, body });
  });

  it('the limit of the engine under the name that the model knows', () => {
    const engine = { maxTokens: 300 };
    expect(bodyOf('openai', 'gpt-4o', { engine }).body).toMatchObject({ max_tokens: 300 });
    expect(bodyOf('openai', 'gpt-5', { engine }).body).toMatchObject({ max_completion_tokens: 300 });
    expect(bodyOf('openai', 'gpt-6-sol', { engine }).body).toMatchObject({ max_output_tokens: 300 });
    expect(bodyOf('openai', 'my-model', { engine, baseUrl: local }).body).toEqual({ max_tokens: 300 });
    expect(bodyOf('openai', 'gpt-5', { engine, params: { max_tokens: 9 } }).body).toEqual({ max_completion_tokens: 9 });
  });

  it('a forced choice of tools only where the model accepts it', () => {
    const toolChoice = 'required';
    expect(bodyOf('openai', 'gpt-6-sol', { tools, toolChoice }).body).toMatchObject({ tool_choice: 'required' });
    expect(bodyOf('openai', 'my-model', { tools, toolChoice, baseUrl: local }).body).toEqual({ tool_choice: 'auto' });
    expect(bodyOf('openai', 'my-model', { tools, baseUrl: local }).body).toEqual({ tool_choice: 'auto' });
    expect(bodyOf('openai', 'gpt-6-sol', { tools, toolChoice: { tool: 'add' } }).body).toMatchObject({
      tool_choice: { type: 'function', name: 'add' },
    });
  });

  it('chat completions for params that only these have', () => {
    expect(bodyOf('openai', 'gpt-9', { params: { response_format: { type: 'json_object' } } })).toEqual({
      protocol: 'chat',
      body: { response_format: { type: 'json_object' } },
    });
  });

  it('nothing that the author wrote differently', () => {
    expect(bodyOf('openai', 'gpt-4o', { params: { temperature: null } }).body).toEqual({});
    expect(bodyOf('openai', 'gpt-4o', { params: { temperature: 0 } }).body).toEqual({ temperature: 0 });
    const stored = bodyOf('openai', 'gpt-6-sol', {
      params: { store: true, include: ['message.output_text.logprobs'] },
    });
    expect(stored.body).toEqual({ store: true, include: ['message.output_text.logprobs'] });
    expect(bodyOf('openai', 'gpt-6-sol', { params: { include: ['x'] } }).body).toMatchObject({
      include: ['x', 'reasoning.encrypted_content'],
    });
  });
});

describe('neutral params', () => {
  it('name the effort in the words of each API', () => {
    const params = { effort: 'high' };
    expect(bodyOf('openai', 'gpt-5', { params }).body).toEqual({ reasoning_effort: 'high' });
    expect(bodyOf('openai', 'gpt-6-sol', { params }).body).toMatchObject({ reasoning: { effort: 'high' } });
    expect(bodyOf('anthropic', 'claude-opus-5', { params }).body).toMatchObject({
      output_config: { effort: 'high' },
      thinking: { type: 'adaptive' },
    });
    expect(bodyOf('anthropic', 'claude-opus-5-5', { params }).body).not.toHaveProperty('thinking');
    expect(bodyOf('gemini', 'gemini-3.5-flash', { params }).body).toEqual({
      thinkingConfig: { thinkingLevel: 'high' },
    });
    expect(bodyOf('gemini', 'gemini-2.5-flash', { params: { effort: 'none' } }).body).toEqual({
      thinkingConfig: { thinkingBudget: 0 },
    });
  });

  it('name the tier and the choice of tools in the words of each API', () => {
    const asked = { tools, params: { tier: 'flex', tool_choice: { tool: 'add' } } };
    expect(bodyOf('openai', 'gpt-5', asked).body).toEqual({
      service_tier: 'flex',
      tool_choice: { type: 'function', function: { name: 'add' } },
    });
    expect(bodyOf('anthropic', 'claude-sonnet-5', asked).body).toMatchObject({
      service_tier: 'flex',
      tool_choice: { type: 'tool', name: 'add' },
    });
    expect(bodyOf('gemini', 'gemini-3.5-flash', asked).body).toEqual({
      serviceTier: 'flex',
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['add'] } },
    });
    const own = { tools, params: { tool_choice: { type: 'any', disable_parallel_tool_use: true } } };
    expect(bodyOf('anthropic', 'claude-sonnet-5', own).body).toMatchObject(own.params);
  });

  it('join messages of one role', () => {
    const messages = ['a', 'b'].map((content) => ({ role: 'user' as const, content }));
    const request = {
      provider: 'openai',
      model: 'm',
      messages: [...messages, { role: 'assistant' as const, content: 'c' }],
      params: { roles: 'alternate' },
      retry: retryPolicyOf(undefined),
    };
    const prepared = prepareRequest(request, { profile: profileOf(request) });
    expect(prepared.request.messages).toEqual([
      { role: 'user', content: 'a\n\nb' },
      { role: 'assistant', content: 'c' },
    ]);
  });
});

describe('a forced choice of tools', () => {
  const choice = (provider: string, model: string) => bodyOf(provider, model, { tools, toolChoice: 'required' }).body;

  it('is translated for the models that accept it', () => {
    expect(choice('anthropic', 'claude-haiku-4-5')).toMatchObject({ tool_choice: { type: 'any' } });
    expect(choice('gemini', 'gemini-3.5-flash')).toMatchObject({
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    });
  });

  it('is a sentence for the models that refuse it', () => {
    const request = {
      provider: 'anthropic',
      model: 'claude-sonnet-5-5',
      messages: [{ role: 'system' as const, content: 'Decide.' }],
      tools,
      toolChoice: 'required' as const,
      params: {},
      retry: retryPolicyOf(undefined),
    };
    const body = anthropicBody(prepareRequest(request, { profile: profileOf(request) }));
    expect(body).toMatchObject({ system: 'Decide.\n\nAnswer with a call of one of the tools.', max_tokens: 16_384 });
    expect(body).not.toHaveProperty('tool_choice');
  });
});
