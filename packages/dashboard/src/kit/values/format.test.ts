import { describe, expect, it } from 'vitest';
import {
  formatAge,
  formatBytes,
  formatClock,
  formatDuration,
  formatMoney,
  formatSaved,
  oneLine,
  showTimesIn,
} from './format.ts';

describe('a duration', () => {
  it.each([
    [0, '0 ms'],
    [340, '340 ms'],
    [2_140, '2.1 s'],
    [59_999, '59 s'],
    [60_000, '1 m'],
    [134_000, '2 m 14 s'],
    [3_600_000, '1 h'],
    [90_000_000, '1 d 1 h'],
  ])('of %i milliseconds reads %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe('an age', () => {
  it.each([
    [100, 'now'],
    [41_000, '41 s ago'],
    [7_300_000, '2 h ago'],
  ])('of %i milliseconds reads %s', (ms, text) => {
    expect(formatAge(1_000, 1_000 + ms)).toBe(text);
  });
});

describe('an amount of money', () => {
  it.each([
    [0, '$0'],
    [12, '< $0.0001'],
    [4_210, '$0.0042'],
    [5_000, '$0.005'],
    [10_000, '$0.01'],
    [31_000, '$0.031'],
    [600_000, '$0.60'],
    [12_345_678, '$12.35'],
  ])('of %i millionths of a dollar reads %s', (microUsd, text) => {
    expect(formatMoney(microUsd)).toBe(text);
  });

  it.each([
    [undefined, '–'],
    [0, '–'],
    [120_000, '$0.12'],
    [-120_000, '−$0.12'],
  ])('shows what caches have saved, or cost in addition: %s', (microUsd, text) => {
    expect(formatSaved(microUsd)).toBe(text);
  });
});

describe('a size', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1536, '1.5 KB'],
    [52_428_800, '50 MB'],
  ])('of %i bytes reads %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});

it.each([
  ['## Sundays belong to readers\n\nFrom 4 May on', 'Sundays belong to readers From 4 May on'],
  ['- The library on Mill Street', 'The library on Mill Street'],
  ['It is **open from ten** to four.', 'It is open from ten to four.'],
  ['> quoted', 'quoted'],
  ['a * b ** c', 'a * b ** c'],
  ['#hashtag -1', '#hashtag -1'],
  ['', ''],
])('shows %j as %j', (text, line) => {
  expect(oneLine(text)).toBe(line);
});

describe('a time', () => {
  it('is shown in the zone that was chosen', () => {
    const at = Date.parse('2026-01-31T23:30:00Z');
    showTimesIn('Asia/Tokyo');
    expect(formatClock(at)).toBe('08:30:00');
    showTimesIn('UTC');
    expect(formatClock(at)).toBe('23:30:00');
    showTimesIn(undefined);
  });
});
