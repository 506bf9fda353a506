import { describe, expect, it } from 'vitest';
import { fakeHost } from '../../../../test/support/fakes/fake-host.ts';
import { LiteralConfig, literal } from './literal.ts';

describe('literal', () => {
  it('emits its text with its role, which edges keep', async () => {
    const outcome = await literal.execute(LiteralConfig.parse({ content: 'go', role: ' Assistant ' }), [], fakeHost());
    expect(outcome).toEqual({
      type: 'completed',
      outputs: [{ role: 'assistant', content: 'go', source: 'N', keep: false, preserveRole: true }],
    });
  });

  it('emits the role user by default', () => {
    expect(LiteralConfig.parse({ content: 'go' }).role).toBe('user');
  });

  it.each([{}, { content: ' \n' }, { content: 3 }, { content: 'x', role: 'tool' }])('refuses %j', (config) => {
    expect(LiteralConfig.safeParse(config).success).toBe(false);
  });
});
