import { textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { fakeHost } from '../../../../test/support/fakes/fake-host.ts';
import { PassthroughConfig, passthrough } from './passthrough.ts';

const input = [textMessage('user', 'a', 'A'), { ...textMessage('assistant', 'b', 'B'), keep: true }];

async function outputs(config: unknown, messages = input) {
  const outcome = await passthrough.execute(PassthroughConfig.parse(config), messages, fakeHost());
  return outcome.type === 'completed' ? outcome.outputs : [];
}

describe('passthrough', () => {
  it('forwards the newest message as the identical object', async () => {
    const forwarded = await outputs({});
    expect(forwarded).toHaveLength(1);
    expect(forwarded[0]).toBe(input[1]);
  });

  it('forwards all messages in order when it is so configured', async () => {
    const forwarded = await outputs({ only_last_message: false });
    expect(forwarded.map((message, index) => message === input[index])).toEqual([true, true]);
  });

  it('emits one empty user message when it has no input', async () => {
    expect(await outputs({}, [])).toEqual([textMessage('user', '', 'N')]);
  });

  it.each([null, 'no'])('refuses only_last_message: %j', (value) => {
    expect(PassthroughConfig.safeParse({ only_last_message: value }).success).toBe(false);
  });
});
