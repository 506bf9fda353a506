import { describe, expect, it } from 'vitest';
import { fakeHost } from '../../../../test/support/fakes/fake-host.ts';
import { LoopCounterConfig, loopCounter } from './loop-counter.ts';

/** Returns the output of each of several activations; the state goes from one to the next. */
async function texts(config: unknown, times: number): Promise<unknown[]> {
  const emitted: unknown[] = [];
  let state: unknown;
  for (let index = 0; index < times; index += 1) {
    const outcome = await loopCounter.execute(LoopCounterConfig.parse(config), [], fakeHost({ state }));
    if (outcome.type !== 'completed') throw new Error(outcome.type);
    expect(outcome.state?.read).toBe(state);
    state = outcome.state?.write;
    emitted.push(outcome.outputs[0]?.content);
  }
  return emitted;
}

describe('loop_counter', () => {
  it('emits nothing before the limit, its message at the limit, and then starts again', async () => {
    const limit = 'Loop limit reached (2)';
    expect(await texts({ max_iterations: 2 }, 4)).toEqual([undefined, limit, undefined, limit]);
  });

  it('emits at every trigger from the limit on when it does not reset', async () => {
    const config = { max_iterations: 2, reset_on_emit: false, message: 'enough' };
    expect(await texts(config, 4)).toEqual([undefined, 'enough', 'enough', 'enough']);
  });

  it('has no source in a fan-out in compatibility mode, as the original engine', async () => {
    const config = LoopCounterConfig.parse({ max_iterations: 1 });
    const sourceOf = async (facts: { compat: boolean; isUnit: boolean }) => {
      const outcome = await loopCounter.execute(config, [], fakeHost(facts));
      return outcome.type === 'completed' && outcome.outputs[0]?.source;
    };

    expect(await sourceOf({ compat: true, isUnit: true })).toBe('');
    expect(await sourceOf({ compat: true, isUnit: false })).toBe('N');
    expect(await sourceOf({ compat: false, isUnit: true })).toBe('N');
  });

  it('adds its count to the metadata', async () => {
    const config = LoopCounterConfig.parse({ max_iterations: 3, reset_on_emit: false });
    const outcome = await loopCounter.execute(config, [], fakeHost({ state: 4 }));
    expect(outcome).toMatchObject({
      outputs: [
        { role: 'assistant', source: 'N', metadata: { loop_counter: { count: 5, max: 3, reset_on_emit: false } } },
      ],
      state: { read: 4, write: 5 },
    });
  });

  it.each([0, 2.9, '3'])('refuses max_iterations: %j', (value) => {
    expect(LoopCounterConfig.safeParse({ max_iterations: value }).success).toBe(false);
  });
});
