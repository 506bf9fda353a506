import { retryPolicyOf } from '@millrace/catalog';
import type { ChatRequest } from '@millrace/core';
import { expect, it } from 'vitest';
import { requestIdentity } from './request-identity.ts';

const request = (more: Partial<ChatRequest> = {}, ids = ['a', 'b']): ChatRequest => ({
  provider: 'openai',
  model: 'm',
  messages: [
    { role: 'user', content: 'add' },
    { role: 'assistant', content: '', toolCalls: ids.map((id) => ({ id, name: 'add', arguments: '{}' })) },
    ...ids.map((toolCallId) => ({ role: 'tool' as const, content: '3', toolCallId })),
  ],
  params: { temperature: 1 },
  retry: retryPolicyOf(undefined),
  ...more,
});

it('recognises a request whatever its key, its limits, its repetitions, its cache and the ids of calls are', () => {
  const other = request(
    {
      apiKey: 'k',
      retry: { ...retryPolicyOf(undefined), maxAttempts: 1 },
      rateLimit: { requests_per_minute: 1 },
      reuse: { whole: true, start: false },
    },
    ['x', 'y'],
  );
  expect(requestIdentity(other)).toEqual(requestIdentity(request()));
});

it('tells requests apart by everything else, such as which call a result belongs to', () => {
  expect(requestIdentity(request({ params: {} }))).not.toEqual(requestIdentity(request()));
  expect(requestIdentity(request({ toolChoice: 'required' }))).not.toEqual(requestIdentity(request()));
  const { messages } = request();
  const [start, calls, first, second] = messages;
  const swapped = [start, calls, second, first].flatMap((message) => message ?? []);
  expect(requestIdentity(request({ messages: swapped }))).not.toEqual(requestIdentity(request()));
});
