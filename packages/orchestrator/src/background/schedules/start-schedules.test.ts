import { createVocabulary } from '@millrace/catalog';
import { RequestError } from '@millrace/core';
import type { Schedule, Tick } from '@millrace/runtime';
import { createTenantRuntime, openRuntime } from '@millrace/runtime';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dueTicks, startSchedules } from './start-schedules.ts';

const schedule = (cron: string, missed: Schedule['missed']): Schedule => ({
  id: 's',
  cron,
  timezone: 'Europe/Berlin',
  run: {},
  missed,
  overlap: 'allow',
  paused: false,
  createdAt: 0,
});
const at = (text: string): number => Date.parse(`2026-03-28T${text}Z`);
const iso = (times: readonly number[]): readonly string[] =>
  times.map((time) => new Date(time).toISOString().slice(0, 16).replace('T', ' '));

describe('times of a schedule', () => {
  it.each(['skip', 'once', 'all'] as const)('are due, with those missed during an outage (%s)', (missed) => {
    const due = dueTicks(schedule('* * * * * *', missed), at('10:00:00'), at('10:00:02.500'));

    expect(due).toEqual([at('10:00:00'), at('10:00:01'), at('10:00:02')]);
  });

  it('are due when a tick names them, also by a clock that is ahead', () => {
    expect(dueTicks(schedule('* * * * *', 'skip'), at('10:00:00'), at('09:59:59.900'))).toEqual([at('10:00:00')]);
  });

  it('that were missed are skipped, run once, or run each', () => {
    const due = (missed: Schedule['missed']) => iso(dueTicks(schedule('0 * * * *', missed), at('10:00'), at('13:30')));

    expect(due('skip')).toEqual([]);
    expect(due('once')).toEqual(['2026-03-28 13:00']);
    expect(due('all')).toEqual(['2026-03-28 10:00', '2026-03-28 11:00', '2026-03-28 12:00', '2026-03-28 13:00']);
  });

  it('that are due now start in addition to missed ones', () => {
    const due = (missed: Schedule['missed']) =>
      iso(dueTicks(schedule('0 * * * *', missed), at('11:00'), at('12:00:30')));

    expect(due('skip')).toEqual(['2026-03-28 12:00']);
    expect(due('once')).toEqual(['2026-03-28 12:00']);
    expect(due('all')).toEqual(['2026-03-28 11:00', '2026-03-28 12:00']);
  });

  it('run for at most the last hundred missed times', () => {
    const due = dueTicks(schedule('* * * * *', 'all'), at('00:00'), at('23:00:59'));

    expect(due).toHaveLength(101);
    expect(iso(due.slice(-1))).toEqual(['2026-03-28 23:00']);
  });

  it('are in their time zone, also when clocks change', () => {
    const due = dueTicks(schedule('30 6 * * *', 'all'), at('05:30'), Date.parse('2026-03-30T12:00:00Z'));

    expect(iso(due)).toEqual(['2026-03-28 05:30', '2026-03-29 04:30', '2026-03-30 04:30']);
  });
});

it.each(['S3_UNREACHABLE', 'REDIS_FULL', 'NOT_READY'])(
  'is tried again while %s is the reason for which no run can be started, and has it as its outcome in the end',
  async (code) => {
    const runtime = await openRuntime({ local: true }, createVocabulary(), () => undefined);
    onTestFinished(() => runtime.close());
    let perform: ((tick: Tick) => Promise<void>) | undefined;
    const schedules = startSchedules({
      runtime,
      ticks: {
        set: async () => undefined,
        clear: async () => undefined,
        find: async () => undefined,
        consume(performing) {
          perform = performing;
          return { close: async () => undefined };
        },
      },
      reader: { read: () => Promise.reject(new RequestError(code, 'Try again later.')) },
      assertReachable: async () => undefined,
      log: pino({ level: 'silent' }),
    });
    onTestFinished(() => schedules.close());
    const of = createTenantRuntime(runtime, 'default').schedules;
    const run = { workflow: { yaml: 'graph: {}' }, input: 'go' };
    await of.create({ ...schedule('* * * * *', 'skip'), run });
    const tick = { series: 'default~s', at: at('10:00:00'), now: at('10:00:00') };

    await expect(perform?.({ ...tick, isLast: false })).rejects.toMatchObject({ code });
    expect(await of.last('s')).toBeUndefined();
    await perform?.({ ...tick, isLast: true });
    expect(await of.last('s')).toMatchObject({ at: tick.at, outcome: 'failed', error: { code } });
  },
);
