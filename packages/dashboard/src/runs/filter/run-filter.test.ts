import type { RunLine } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import { isFound, parseRunFilter, partOf } from './run-filter.ts';

const hash = 'd1092e'.padEnd(32, '0');
const run: RunLine = {
  runId: 'run_01a2',
  workflow: 'review-loop',
  plan: hash,
  status: 'waiting',
  asks: true,
  title: 'An article about the library',
  tags: ['nightly'],
  origin: { type: 'fork', of: 'run_0001' },
  startedAt: 1,
  activations: 1,
};

describe('the filter of an address', () => {
  it.each([
    [
      { status: 'failed', tag: 2026, asks: true },
      { status: 'failed', tag: '2026', asks: true },
    ],
    [{ status: 'sideways', since: 'tomorrow', version: 'x', limit: 7, q: '' }, {}],
    [
      { since: '24h', until: '2026-01-31' },
      { since: '24h', until: '2026-01-31' },
    ],
  ])('of %j is %j', (search, filter) => {
    expect(parseRunFilter(search)).toEqual(filter);
  });

  it.each([
    ['tag:nightly', { tag: 'nightly' }],
    ['of:run_0001', { of: 'run_0001' }],
    ['since:yesterday', {}],
    ['two words', { q: 'two words' }],
    ['', {}],
  ])('is completed by %j as %j', (text, part) => {
    expect(partOf(text)).toEqual(part);
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
  ] as const)('matches %j: %j', (filter, expected) => {
    expect(isFound(filter, run)).toBe(expected);
  });
});
