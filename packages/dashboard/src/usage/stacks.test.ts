import type { UsageLine } from '@millrace/client';
import { usageMeasures } from '@millrace/core/usage';
import { describe, expect, it } from 'vitest';
import { csvOf, dayTicks, stacksOf, sumLines } from './stacks.ts';
import { daysBetween, daysOf, parseUsageSearch } from './usage-search.ts';

const measures = [...usageMeasures, 'runs'] as const;
// It has all of these fields.
const none = Object.fromEntries(measures.map((measure) => [measure, 0])) as Record<(typeof measures)[number], number>;
const line = (day: string, workflow: string | null, microUsd: number): UsageLine => ({
  ...none,
  day,
  workflow,
  microUsd,
});
const amountOf = ({ microUsd }: { readonly microUsd: number }) => microUsd;

describe('the bars of a chart', () => {
  it('have the largest names first, and all others in one', () => {
    const days = daysBetween('2026-11-01', '2026-11-03');
    const lines = [
      ...Array.from({ length: 8 }, (_, at) => line('2026-11-01', `w${at}`, 10 + at)),
      line('2026-11-03', 'w0', 100),
      line('2026-11-03', null, 5),
    ];

    const stacks = stacksOf(lines, { by: 'workflow', days, amountOf });

    expect(stacks.map(({ name }) => name)).toEqual(['w0', 'w7', 'w6', 'w5', 'w4', 'w3', 'others']);
    expect(stacks[0]?.amounts).toEqual([10, 0, 100]);
    expect(stacks.at(-1)?.amounts).toEqual([11 + 12, 0, 5]);
  });
});

describe('the sums of lines', () => {
  it('contain every number', () => {
    const ones = Object.fromEntries(Object.keys(none).map((field) => [field, 1])) as typeof none;

    const [sum] = sumLines(
      [
        { ...ones, day: '2026-11-01' },
        { ...ones, day: '2026-11-01' },
      ],
      () => 'one',
    );

    expect(sum).toEqual({ day: '2026-11-01', ...Object.fromEntries(Object.keys(none).map((field) => [field, 2])) });
  });
});

describe('the address of the usage', () => {
  it('names days, or a number of them, in UTC', () => {
    const now = Date.UTC(2026, 10, 22, 23, 30);
    expect(daysOf(parseUsageSearch({}), now)).toEqual({ first: '2026-10-24', last: '2026-11-22' });
    expect(daysOf(parseUsageSearch({ since: '7d' }), now)).toEqual({ first: '2026-11-16', last: '2026-11-22' });
    const search = parseUsageSearch({ since: '2026-11-20', until: '2026-11-21', by: 'model', show: 'tokens' });
    expect(daysOf(search, now)).toEqual({ first: '2026-11-20', last: '2026-11-21' });
    expect(search).toMatchObject({ by: 'model', show: 'tokens' });
    expect(parseUsageSearch({ since: 'x', until: '2026-99-99', by: 'week', show: 3 })).toEqual({});
  });
});

describe('the table as a file', () => {
  it('quotes names, and has no name that a spreadsheet takes for a formula', () => {
    const csv = csvOf([line('2026-11-01', '=cmd|"x",y', 1_500_000)], ['day', 'workflow']);
    expect(csv.split('\r\n')).toEqual([
      'day,workflow,runs,failed,budget_stopped,calls,prompt_tokens,cached_tokens,cache_write_tokens,completion_tokens,reasoning_tokens,tool_requests,usd,saved_usd,unpriced_calls,lost_tokens,lost_usd',
      `2026-11-01,"'=cmd|""x"",y",0,0,0,0,0,0,0,0,0,0,1.500000,0.000000,0,0,0.000000`,
      '',
    ]);
  });
});

describe('the days below a chart', () => {
  it.each([
    [3, 900, ['01', '02', '03']],
    [7, 260, ['01', '03', '05', '07']],
    [2, 10, ['01']],
  ])('of %i days in %i pixels are named once', (count, width, expected) => {
    const days = Array.from({ length: count }, (_, at) => `2026-11-0${at + 1}`);

    expect(dayTicks(days, width)).toEqual(expected.map((day) => `2026-11-${day}`));
  });
});
