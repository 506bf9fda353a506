import { describe, expect, it } from 'vitest';
import { parseDuration } from './duration.ts';

describe('parseDuration', () => {
  it.each([
    ['0s', 0],
    ['500ms', 500],
    ['0.5ms', 1],
    ['90s', 90_000],
    ['1.000000001s', 1000],
    ['30m', 1_800_000],
    ['1.5h', 5_400_000],
    ['7d', 604_800_000],
    ['999999999d', 86_399_999_913_600_000],
  ])('reads %s', (text, durationMs) => {
    expect(parseDuration(text)).toBe(durationMs);
  });

  it.each([
    '',
    '10',
    'm',
    '-5s',
    '+5s',
    '.5s',
    '5.s',
    '10 m',
    ' 10m',
    '1h30m',
    '1e3s',
    '2hours',
    '5M',
    '9999999999s',
    '٣s',
  ])('refuses "%s"', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});
