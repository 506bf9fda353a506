import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PatternError } from './parse/cursor.ts';
import { groupNumber, pythonRegex } from './python-regex.ts';

/** Recorded from `re` of Python 3.11: per match its start (in UTF-16 units), the whole match, and every group. */
const recordedSchema = z.array(
  z.object({
    pattern: z.string(),
    flags: z.string(),
    text: z.string(),
    matches: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
  }),
);
const golden = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`golden/${name}.json`, import.meta.url), 'utf8'));
const recorded = recordedSchema.parse(golden('matches'));
const refused = z.array(z.string()).parse(golden('refused'));

const compile = (pattern: string, flags: string) =>
  pythonRegex(pattern, {
    ignoreCase: flags.includes('i'),
    multiline: flags.includes('m'),
    dotAll: flags.includes('s'),
  });

function errorOf(pattern: string): PatternError | undefined {
  try {
    pythonRegex(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error;
    throw error;
  }
}

describe('pythonRegex', () => {
  it.each(recorded)('finds what Python finds: /$pattern/$flags in $text', async ({ pattern, flags, text, matches }) => {
    const found = await compile(pattern, flags).findAll(text);

    expect(found.map(({ start, groups }) => [start, ...groups.map((group) => group ?? null)])).toEqual(matches);
  });

  it('searches only for the first match', async () => {
    const found = recorded.map(async ({ pattern, flags, text }) => (await compile(pattern, flags).search(text))?.start);
    expect(await Promise.all(found)).toEqual(recorded.map(({ matches }) => matches[0]?.[0]));
  });

  it.each(refused)('refuses the patterns that Python refuses: %s', (pattern) => {
    expect(errorOf(pattern)).toBeInstanceOf(PatternError);
  });

  it('reports where a pattern is wrong', () => {
    expect(errorOf('ab[c')).toMatchObject({ offset: 2, message: 'unterminated character set at position 2' });
    expect(errorOf('a\\q')).toMatchObject({ offset: 1, message: 'bad escape \\q at position 1' });
  });

  it('uses RE2 where possible', () => {
    const inside = ['a$', '(?:a$|b)', '[^\\W\\d_]+', '(?P<x>\\w+)=\\d*', '(?a)\\bx', '^(a|b)?$'];

    expect(inside.filter((pattern) => pythonRegex(pattern).outsideRe2 !== undefined)).toEqual([]);
  });

  it.each([
    ['(?=a)b', 'a look-ahead'],
    ['(?<!a)b', 'a look-behind'],
    ['(a)\\1', 'a back reference'],
    ['.{1,2000}', 'a repeat over 1000'],
    ['(?:a{1000}){2}', 'a repeat over 1000'],
    ['\\bx', 'a word boundary'],
    ['a$b?', 'a "$" inside the pattern'],
    ['|a', 'an alternative that matches nothing before one that matches something'],
  ])('reports why %s is outside RE2', (pattern, reason) => {
    expect(pythonRegex(pattern).outsideRe2).toBe(reason);
  });

  it('takes linear time in RE2', async () => {
    expect(await pythonRegex('(a+)+$').search(`${'a'.repeat(5000)}!`)).toBeUndefined();
  });

  it('finds groups by number and by name', () => {
    const pattern = pythonRegex('(a)(?P<b>b)');

    expect([0, 2, 'b', 3, -1, 'c', ''].map((group) => groupNumber(pattern, group))).toEqual([
      0,
      2,
      2,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('a search in another process', () => {
  it('returns the positions of all groups', async () => {
    // With a part that RE2 does not have, which the faster engine searches for.
    const matches = await pythonRegex('(a)(b)?(?=.)').findAll('ab a '.repeat(20_000));

    expect(matches).toHaveLength(40_000);
    expect(matches.slice(-2)).toEqual([
      { start: 99_995, end: 99_997, groups: ['ab', 'a', 'b'] },
      { start: 99_998, end: 99_999, groups: ['a', 'a', undefined] },
    ]);
  });

  it('returns groups that overlap without a copy of each', async () => {
    const text = 'x'.repeat(30_000);
    const matches = await pythonRegex('(?=(.*))').findAll(text);

    expect(matches).toHaveLength(30_001);
    expect(matches[1]?.groups).toEqual(['', text.slice(1)]);
  });

  it('refuses to read more matches than fit beside other work', async () => {
    const text = 'x'.repeat(12_000);
    const pattern = pythonRegex(`${'('.repeat(49)}.${')'.repeat(49)}(?=.|$)`);

    await expect(pattern.findAll(text)).rejects.toMatchObject({ code: 'REGEX_TOO_MANY_MATCHES' });
    expect(await pattern.findAll(text, 3)).toHaveLength(3);
    expect(await pattern.findAll(text.slice(2000))).toHaveLength(10_000);
  });
});
