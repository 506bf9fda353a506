import type { RunLine } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import { isFound, parseRunFilter, readSearchText } from './run-filter.ts';

const hash = 'd1092e'.padEnd(32, '0');
const run: RunLine = {
  runId: 'run_01a2',
  workflow: 'review-loop',
  plan: 'p'.repeat(32),
  version: hash,
  status: 'waiting',
  asks: true,
  title: 'An article about the library',
  tags: ['nightly'],
  origin: { type: 'fork', of: 'run_0001' },
  startedAt: Date.UTC(2026, 0, 15),
  activations: 1,
};

describe('the filter of an address', () => {
  it.each([
    [
      { status: 'failed', tag: 2026, asks: true },
      { status: 'failed', tag: '2026', asks: true },
    ],
    // The server refuses what is malformed.
    [
      { status: 'sideways', since: 'tomorrow', limit: 7, q: '' },
      { status: 'sideways', since: 'tomorrow' },
    ],
    [
      { since: '24h', until: '2026-01-31' },
      { since: '24h', until: '2026-01-31' },
    ],
  ])('of %j is %j', (search, filter) => {
    expect(parseRunFilter(search)).toEqual(filter);
  });
});

describe('the search field', () => {
  it.each([
    ['tag:nightly', { tag: 'nightly' }],
    ['tag:news since:7d', { tag: 'news', since: '7d' }],
    ['since:7d festival', { since: '7d', q: 'festival' }],
    ['summer status:failed  festival', { status: 'failed', q: 'summer festival' }],
    ['workflow:"two words" "a:b"', { workflow: 'two words', q: 'a:b' }],
    ['of:run_0001', { of: 'run_0001' }],
    ['', {}],
  ])('reads %j as %j', (text, filter) => {
    expect(readSearchText(text)).toEqual({ filter });
  });

  it.each([
    ['since:yesterday', '"since:yesterday" was not understood. Write a duration such as 24h or 7d'],
    ['status:broken', 'Write one of running, waiting'],
    ['festival owner:ann', 'There is no filter "owner:"'],
    ['tag:a tag:b', '"tag:" is there twice'],
    ['tag: nightly', '"tag:" has no value'],
    ['!!! (…)', '"!!! (…)" has no word to search'],
    ['since:7d ""', 'has no word to search'],
  ])('refuses %j with the reason', (text, problem) => {
    expect(readSearchText(text)).toEqual({ problem: expect.stringContaining(problem) });
  });
});

describe('a changed run', () => {
  it.each([
    [{}, true],
    [{ status: 'failed' }, false],
    [{ asks: true, tag: 'nightly' }, true],
    [{ q: 'art lib' }, true],
    [{ q: 'rary' }, false],
    [{ version: hash, of: 'run_0001' }, true],
    [{ of: 'run_0002' }, false],
    [{ q: '!!!' }, false],
    [{ stop: 'budget' }, false],
    [{ since: '2026-01-15', until: '2026-01-16' }, true],
    [{ since: '2026-01-16' }, false],
    [{ until: String(Date.UTC(2026, 0, 15)) }, false],
    [{ since: '24h' }, true],
    [{ since: '1h' }, false],
  ] as const)('matches %j: %j', (filter, expected) => {
    expect(isFound(filter, run, Date.UTC(2026, 0, 15, 2))).toBe(expected);
  });
});
