import { textMessage, textOf } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { fakeHost } from '../../../../../test/support/fakes/fake-host.ts';
import { agent as agentWith } from './agent.ts';
import { AgentConfig } from './agent-config.ts';

const agent = agentWith(new Map());

const config = (more: Record<string, unknown> = {}) => AgentConfig.parse({ provider: 'openai', name: 'm', ...more });
const input = [textMessage('user', 'a', 'A'), textMessage('assistant', 'b', 'B')];

describe('agent', () => {
  it('sends the role, and then its input unchanged', async () => {
    const host = fakeHost({ reply: { text: 'ok' } });
    await agent.execute(config({ role: 'Be brief.' }), input, host);
    expect(host.asked[0]?.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
    ]);
  });

  it('sends its input as one text in prompt mode', async () => {
    const host = fakeHost({ reply: { text: 'ok' } });
    await agent.execute(config({ input_mode: 'prompt' }), input, host);
    expect(host.asked[0]?.messages).toEqual([
      { role: 'user', content: '=== INPUT FROM A (user) ===\n\na\n\n=== INPUT FROM B (assistant) ===\n\nb' },
    ]);
  });

  it('sends an empty user message when it has no input', async () => {
    const host = fakeHost({ reply: { text: 'ok' } });
    await agent.execute(config(), [], host);
    expect(host.asked[0]?.messages).toEqual([{ role: 'user', content: '' }]);
  });

  it('passes the params as the author wrote them', async () => {
    const host = fakeHost({ reply: { text: 'ok' } });
    await agent.execute(config({ params: { top_p: 0.5 } }), input, host);
    await agent.execute(config({ params: { temperature: 0 } }), input, host);
    expect(host.asked.map(({ params }) => params)).toEqual([{ top_p: 0.5 }, { temperature: 0 }]);
  });

  it('emits the reply with the role assistant', async () => {
    const outcome = await agent.execute(config(), input, fakeHost({ reply: { text: 'ok' } }));
    expect(outcome).toEqual({ type: 'completed', outputs: [textMessage('assistant', 'ok', 'N')] });
  });

  it('converts an empty reply to an empty text block in compatibility mode', async () => {
    const outcome = await agent.execute(config(), input, fakeHost({ compat: true, reply: { text: '' } }));
    expect(outcome.type === 'completed' && outcome.outputs.map(textOf)).toEqual(['[text block]']);
  });

  it('passes its retry settings to the host, names in lower case', async () => {
    const host = fakeHost({ reply: { text: 'ok' } });
    await agent.execute(
      config({ retry: { max_attempts: 2, retry_on_exception_types: ['RateLimitError'] } }),
      input,
      host,
    );
    await agent.execute(config({ retry: { enabled: false } }), input, host);
    expect(host.asked[0]?.retry).toMatchObject({
      maxAttempts: 2,
      minWaitSeconds: 1,
      maxWaitSeconds: 6,
      errorTypes: ['ratelimiterror'],
    });
    expect(host.asked[1]?.retry).toMatchObject({ maxAttempts: 1 });
  });

  it('treats empty lists as absent', async () => {
    const host = fakeHost({ reply: { text: 'ok' } });
    await agent.execute(config({ tooling: [], memories: [], skills: { enabled: false } }), input, host);
    expect(host.asked).toHaveLength(1);
  });

  it('describes a failure as text with the first 200 characters of its input', () => {
    const long = [textMessage('user', '😀'.repeat(300), 'TASK')];
    const said = agent.failureText?.(config(), long, { code: 'MODEL_SERVER_ERROR', message: 'boom' });
    const start = '=== INPUT FROM TASK (user) ===\n\n';
    expect(said).toBe(`Error calling model m: boom\n\nOriginal input: ${start}${'😀'.repeat(200 - start.length)}...`);
  });
});
