import type { ModelProfile } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { apiError } from './api-error.ts';

const seen = { headers: undefined, refused: true, report: undefined, broken: undefined, tooLarge: undefined };

/** Returns the message for an exception of an SDK about a model of this profile. */
function messageFor(status: number, profile: Partial<ModelProfile>, params: Readonly<Record<string, unknown>> = {}) {
  const error = Object.assign(new Error('no'), { status, name: status === 404 ? 'NotFoundError' : 'BadRequestError' });
  const known: ModelProfile = { known: true, ownHost: true, ...profile };
  const request = { model: 'sol', apiKey: 'key', params };
  const { code, message } = apiError(error, {
    request,
    profile: known,
    api: 'OpenAI-compatible',
    seen,
    timeoutMs: undefined,
  });
  return `${code}: ${message}`;
}

describe('the error of a model that was not found', () => {
  it('says when it retired, what to use instead, and who answers', () => {
    expect(messageFor(404, { retires: '2020-01-01', replacement: 'sol-2' })).toMatch(
      /^MODEL_NOT_FOUND: .* As far as is known, "sol" retired on 2020-01-01; use "sol-2"\. Check `name` and `base_url`\.$/,
    );
    expect(messageFor(404, { retires: '2020-01-01', routes_to: 'sol-lite' })).toContain('"sol-lite" answers instead');
  });

  it('says nothing of retirements that are far, unknown, or those of another host', () => {
    for (const profile of [{ retires: '9999-01-01' }, { retires: null }, {}, { retires: '2020-01-01', ownHost: false }])
      expect(messageFor(404, profile)).not.toContain('As far as is known');
  });
});

describe('the error of a refused request', () => {
  it('says which params the model is known to refuse', () => {
    const profile: Partial<ModelProfile> = { temperature: 'no', effort: ['low', 'high'], output: 100 };
    const message = messageFor(400, profile, { temperature: 0.7, effort: 'max', max_tokens: 200 });

    expect(message).toMatch(/^MODEL_BAD_REQUEST: /);
    expect(message).toContain(
      'As far as is known, "sol" takes no temperature, and knows the efforts low, high, and answers with at most 100 tokens.',
    );
  });

  it('says nothing of params that it may take, or that nobody wrote', () => {
    expect(messageFor(400, { temperature: 'no' }, {})).not.toContain('As far as is known');
    expect(messageFor(400, { temperature: 'no' }, { temperature: null })).not.toContain('As far as is known');
    expect(messageFor(400, {}, { temperature: 1 })).not.toContain('As far as is known');
  });
});

describe('the error of a conversation that is too long', () => {
  it.each([
    [400, 'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length', ''],
    [400, 'request (25837 tokens) exceeds the available context size (25088 tokens), try increasing it', ''],
    [400, 'too long', 'exceed_context_size_error'],
    [500, 'Context size has been exceeded.', 'server_error'],
    [400, 'Your input exceeds the context window of this model. Please adjust your input and try again.', ''],
  ])('is recognised by the words of servers: %i %s', (status, message, word) => {
    const report = { status, message, words: [word] };
    const error = Object.assign(new Error(message), { status });
    const request = { model: 'sol', apiKey: 'key' };
    const facts = { request, api: 'OpenAI-compatible', seen: { ...seen, report }, timeoutMs: undefined };

    expect(apiError(error, facts).code).toBe('MODEL_CONTEXT_FULL');
  });
});
