import type { Host } from '@millrace/core';
import { defineTool, textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { GivenReply } from '../../../../../test/support/fakes/fake-host.ts';
import { fakeHost } from '../../../../../test/support/fakes/fake-host.ts';
import { agent } from './agent.ts';
import { AgentConfig } from './agent-config.ts';

const boom = defineTool({
  name: 'boom',
  description: 'Fails.',
  parameters: z.object({}),
  execute() {
    throw new Error('kaput');
  },
});
const tooling = [{ type: 'function', config: { tools: [{ name: 'boom' }] } }];

async function run(
  replies: readonly GivenReply[],
  { config, host: given = {} }: { config: Record<string, unknown>; host?: Partial<Host> },
) {
  const host = fakeHost({ replies, ...given });
  const parsed = AgentConfig.parse({ provider: 'openai', name: 'm', ...config });
  const outcome = await agent(new Map([['boom', boom]])).execute(parsed, [textMessage('user', 'hi', 'TASK')], host);
  return { host, outcome, said: host.asked.map(({ messages }) => messages) };
}

describe('an agent with thinking', () => {
  const thinking = { type: 'reflection', config: { reflection_prompt: 'Improve it.' } };

  it('replaces its reply with that of its reflection', async () => {
    const { said, outcome } = await run([{ text: 'draft' }, { text: 'better' }], { config: { role: 'R', thinking } });

    expect(said).toEqual([
      [
        { role: 'system', content: 'R' },
        { role: 'user', content: 'hi' },
      ],
      [
        {
          role: 'user',
          content:
            'Here is a conversation between two roles: SYSTEM: R\n\nUSER: === INPUT FROM TASK (user) ===\n\nhi\n\nASSISTANT: draft Improve it.',
        },
      ],
    ]);
    expect(outcome).toEqual({ type: 'completed', outputs: [textMessage('assistant', 'better', 'N')] });
  });

  it('receives its input twice in compatibility mode', async () => {
    const { said } = await run([{ text: 'draft' }, { text: 'better' }], {
      config: { thinking },
      host: { compat: true },
    });

    expect(said[0]).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'user', content: '=== INPUT FROM TASK (user) ===\n\nhi' },
    ]);
  });

  it('offers its tools during the reflection, and calls none', async () => {
    const { host, outcome } = await run(
      [{ text: 'draft' }, { text: 'better', toolCalls: [{ id: 'c1', name: 'boom', arguments: '{}' }] }],
      {
        config: { tooling, thinking },
      },
    );

    expect(host.asked[1]?.tools).toHaveLength(1);
    expect(outcome).toEqual({ type: 'completed', outputs: [textMessage('assistant', 'better', 'N')] });
  });
});
