import { textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { fakeHost } from '../../../../test/support/fakes/fake-host.ts';
import { DelayConfig, delay, parseTime, parseWaitTime } from './delay.ts';

const input = [textMessage('user', 'a', 'A'), textMessage('user', 'b', 'B')];
const execute = (config: unknown, now: number, messages = input) =>
  delay.execute(DelayConfig.parse(config), messages, fakeHost({ now: () => now }));
const problems = (config: unknown) => delay.check?.(DelayConfig.parse(config)) ?? [];

describe('delay', () => {
  it('is executed again at the end of its duration', async () => {
    expect(await execute({ for: '10m' }, 1000)).toEqual({ type: 'postponed', until: 601_000 });
  });

  it('counts the duration from its first attempt', async () => {
    const step = async () => 601_000 as never;
    const host = fakeHost({ now: () => 601_000, step });

    const outcome = await delay.execute(DelayConfig.parse({ for: '10m' }), input, host);

    expect(outcome).toEqual({ type: 'completed', outputs: input });
  });

  it('waits until a time, and forwards the identical message objects', async () => {
    const until = Date.parse('2026-12-24T18:00:00Z');
    const config = { until: '2026-12-24T18:00:00Z' };

    expect(await execute(config, until - 1)).toEqual({ type: 'postponed', until });

    const outcome = await execute(config, until);
    expect(outcome.type === 'completed' && outcome.outputs.map((message, at) => message === input[at])).toEqual([
      true,
      true,
    ]);
  });

  it('emits one empty message when it has no input', async () => {
    expect(await execute({ for: '0s' }, 0, [])).toMatchObject({ outputs: [{ content: '', source: 'N' }] });
  });

  it('fails when a variable has no time', async () => {
    await expect(execute({ until: '{{due}}' }, 0)).rejects.toMatchObject({ code: 'TIME_INVALID' });
  });

  it('refuses a duration or a time that is invalid', () => {
    const invalid = (path: readonly string[]) => [expect.objectContaining({ code: 'E_FIELD_INVALID', path })];
    expect(problems({})).toEqual(invalid([]));
    expect(problems({ for: '10m', until: '2026-12-24' })).toEqual(invalid(['until']));
    expect(problems({ for: '10 minutes' })).toEqual(invalid(['for']));
    expect(problems({ until: 'Christmas' })).toEqual(invalid(['until']));
    expect(problems({ until: '{{due}}' })).toEqual([]);
    expect(problems({ for: '10m' })).toEqual([]);
  });
});

describe('parseWaitTime', () => {
  it.each([
    ['90s', 90_000],
    [' 0s ', 0],
    ['3650d', 315_360_000_000],
  ])('reads %s', (text, durationMs) => {
    expect(parseWaitTime(text)).toBe(durationMs);
  });

  it.each(['', '10', '1h30m', '3651d', '{{pause}}'])('refuses "%s"', (text) => {
    expect(parseWaitTime(text)).toBeUndefined();
  });
});

describe('parseTime', () => {
  it.each([
    ['2026-12-24T18:00:00Z', '2026-12-24T18:00:00.000Z'],
    ['2026-12-24T18:00:00.5+02:00', '2026-12-24T16:00:00.500Z'],
    ['2026-12-24T18:00Z', '2026-12-24T18:00:00.000Z'],
    ['2026-12-24 18:00:00', '2026-12-24T18:00:00.000Z'],
    ['2026-12-24', '2026-12-24T00:00:00.000Z'],
    ['2026-12-24 18:00:00.250000+00:00', '2026-12-24T18:00:00.250Z'],
  ])('reads %s', (text, time) => {
    expect(parseTime(text)).toBe(Date.parse(time));
  });

  it.each(['', 'tomorrow', '2026-02-30', '2026-13-01', '2026-12-24T25:00:00Z', '24.12.2026', '1798135200'])(
    'refuses "%s"',
    (text) => {
      expect(parseTime(text)).toBeUndefined();
    },
  );
});
