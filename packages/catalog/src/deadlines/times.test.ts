import { describe, expect, it } from 'vitest';
import { parseDuration, parseTime } from './times.ts';

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['90s', 90_000],
    ['1.5h', 5_400_000],
    ['7d', 604_800_000],
    ['0s', 0],
    ['3650d', 315_360_000_000],
  ])('reads %s', (text, durationMs) => {
    expect(parseDuration(text)).toBe(durationMs);
  });

  it.each(['', '10', 'm', '-5s', '10 m', '1h30m', '3651d', '9999999999s', '{{pause}}'])('refuses "%s"', (text) => {
    expect(parseDuration(text)).toBeUndefined();
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
