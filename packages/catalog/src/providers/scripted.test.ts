import type { ChatReply, ChatRequest } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { profileOf } from '../../test-support/profile-of.ts';
import { realSleep } from '../../test-support/real-sleep.ts';
import { retryPolicyOf } from '../nodes/retry-config.ts';
import { scripted } from './scripted.ts';

interface Asking {
  readonly user?: string;
  readonly model?: string;
  readonly system?: string;
  readonly signal?: AbortSignal;
}

/** Asks as a run does: counts are kept from call to call. */
function run(params: Record<string, unknown>) {
  const kept = new Map<string, number>();
  const ask = ({
    user = 'hi',
    model = 'm',
    system,
    signal = new AbortController().signal,
  }: Asking = {}): Promise<ChatReply> => {
    const messages = [
      ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
      { role: 'user' as const, content: user },
    ];
    const request: ChatRequest = { provider: 'scripted', model, messages, params, retry: retryPolicyOf(undefined) };
    const counts: Record<string, number> = {};
    for (const [key, count] of Object.entries(scripted.tallies?.(request, (each) => kept.get(each) ?? 0) ?? {})) {
      counts[key] = count + 1;
      kept.set(key, count + 1);
    }
    return scripted.chat(request, { signal, fetch, counts, profile: profileOf(request), sleep: realSleep });
  };
  const say = async (asking?: Asking) => (await ask(asking)).text;
  return { ask, say, kept };
}

describe('the scripted provider', () => {
  it('echoes by default, counting per model and system prompt', async () => {
    const { say } = run({ temperature: 0.7 });
    expect(await say()).toBe('ECHO[1]: hi');
    expect(await say({ user: 'again' })).toBe('ECHO[2]: again');
    expect(await say({ model: 'other' })).toBe('ECHO[1]: hi');
    expect(await say({ system: 'S' })).toBe('ECHO[1]: hi');
  });

  it('returns the k-th reply at the k-th match of a rule and repeats the last', async () => {
    const { say } = run({ default: 'none', rules: [{ when: { last_user_contains: 'x' }, replies: ['one', 'two'] }] });
    const said = [
      await say({ user: 'x' }),
      await say(),
      await say({ user: 'x', model: 'other' }),
      await say({ user: 'x' }),
    ];
    expect(said).toEqual(['one', 'none', 'two', 'two']);
  });

  it('keeps no counts that no reply depends on', async () => {
    const { say, kept } = run({ rules: [{ reply: 'ok' }], default: 'none' });
    await say();
    expect(kept.size).toBe(0);
  });

  it('counts failed calls too', async () => {
    const { ask, say } = run({
      rules: [{ when: { call: 1 }, reply: { error: { type: 'RateLimitError', status: 429, message: 'slow down' } } }],
    });
    await expect(ask()).rejects.toMatchObject({
      code: 'MODEL_RATE_LIMITED',
      message: 'slow down',
      status: 429,
      transient: true,
    });
    expect(await say()).toBe('ECHO[2]: hi');
  });

  it('counts words as tokens', async () => {
    const { ask } = run({ default: 'three words here' });
    expect((await ask({ system: 'be  kind', user: 'hello' })).usage).toEqual({ promptTokens: 3, completionTokens: 3 });
  });

  it('requests tool calls', async () => {
    const { ask } = run({ default: { tool_calls: [{ name: 'add', arguments: { a: 1 } }] } });
    expect((await ask()).toolCalls).toEqual([{ id: 'call_1', name: 'add', arguments: '{"a":1}' }]);
  });

  it('stops waiting for a delayed reply when it is aborted', async () => {
    const controller = new AbortController();
    const { ask } = run({ default: { text: 'late', delay_ms: 3_600_000 } });
    const asked = ask({ signal: controller.signal });
    controller.abort(new Error('cancelled'));
    await expect(asked).rejects.toThrow('cancelled');
  });

  it('reports where a script is wrong', async () => {
    const { ask } = run({ rules: [{ reply: 'x', when: { call: 0 } }] });
    expect(() => ask()).toThrow(/params\.rules\.0\.when\.call/);
  });
});
