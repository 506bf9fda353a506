import { textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { fakeHost } from '../../../../test/support/fakes/fake-host.ts';
import { LoopTimerConfig, loopTimer } from './loop-timer.ts';

const input = [textMessage('user', 'draft', 'W')];

interface TimerCase {
  readonly config: unknown;
  readonly seconds: readonly number[];
  readonly compat?: boolean;
}

/** Returns the output of activations at these times; the state goes from one to the next. */
async function play({ config, seconds, compat = false }: TimerCase): Promise<unknown[]> {
  const emitted: unknown[] = [];
  let state: unknown;
  for (const second of seconds) {
    const host = fakeHost({ state, compat, now: () => 1_000_000 + second * 1000 });
    const outcome = await loopTimer.execute(LoopTimerConfig.parse(config), input, host);
    if (outcome.type !== 'completed') throw new Error(outcome.type);
    state = outcome.state === undefined ? state : outcome.state.write;
    emitted.push(outcome.outputs[0]?.content);
  }
  return emitted;
}

describe('loop_timer', () => {
  it('emits nothing until the limit, which counts from the first trigger', async () => {
    const seconds = [0, 0.25, 0.5];
    expect(await play({ config: { max_duration: 0.5, message: 'late' }, seconds })).toEqual([
      undefined,
      undefined,
      'late',
    ]);
  });

  it('restarts at every message', async () => {
    const seconds = [0, 0.6, 1.2, 1.8, 2.4, 3, 3.6];
    const late = 'late';
    const expected = [undefined, undefined, late, undefined, late, undefined, late];
    expect(await play({ config: { max_duration: 1, message: late }, seconds })).toEqual(expected);
  });

  it('restarts only at the first message in compatibility mode', async () => {
    const seconds = [0, 0.6, 1.2, 1.8, 2.4, 3, 3.6];
    const late = 'late';
    const expected = [undefined, undefined, late, undefined, late, late, late];
    expect(await play({ config: { max_duration: 1, message: late }, seconds, compat: true })).toEqual(expected);
  });

  it('emits at every trigger from the limit on when it does not reset', async () => {
    const config = { max_duration: 1, reset_on_emit: false, message: 'late' };
    expect(await play({ config, seconds: [0, 1, 1.1, 5] })).toEqual([undefined, 'late', 'late', 'late']);
  });

  it('with passthrough, forwards its input, emits its message once at the limit, and forwards again', async () => {
    const config = { max_duration: 1, passthrough: true, message: 'late' };
    expect(await play({ config, seconds: [0, 0.4, 1, 2, 9] })).toEqual(['draft', 'draft', 'late', 'draft', 'draft']);
  });

  it.each([
    [20, 'seconds', '20.0 seconds'],
    [0.5, 'minutes', '0.5 minutes'],
    [0.00001, 'hours', '1e-05 hours'],
    [1e16, 'seconds', '1e+16 seconds'],
  ])('describes a limit of %d %s as %s', async (max_duration, duration_unit, said) => {
    const config = LoopTimerConfig.parse({ max_duration, duration_unit });
    const host = fakeHost({ state: { startedAt: 0, emitted: false }, now: () => 1e20 });
    expect(await loopTimer.execute(config, [], host)).toMatchObject({
      outputs: [{ role: 'assistant', content: `Time limit reached (${said})` }],
    });
  });

  it('adds the elapsed time to the metadata', async () => {
    const host = fakeHost({ state: { startedAt: 500, emitted: false }, now: () => 2000 });
    const outcome = await loopTimer.execute(LoopTimerConfig.parse({ max_duration: 1 }), [], host);
    expect(outcome).toMatchObject({
      outputs: [
        {
          metadata: {
            loop_timer: {
              elapsed_time: 1.5,
              max_duration: 1,
              duration_unit: 'seconds',
              reset_on_emit: true,
              passthrough: false,
            },
          },
        },
      ],
      state: { read: { startedAt: 500, emitted: false }, write: { startedAt: 2000, emitted: true } },
    });
  });

  it.each([{ max_duration: 0 }, { max_duration: '5' }, { duration_unit: 'days' }, { reset_on_emit: 'false' }])(
    'refuses %j',
    (config) => {
      expect(LoopTimerConfig.safeParse(config).success).toBe(false);
    },
  );
});
