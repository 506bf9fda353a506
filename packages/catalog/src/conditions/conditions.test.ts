import { textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import type { ConditionFunction } from '../functions/condition-functions.ts';
import { createVocabulary } from '../index.ts';

const vocabulary = createVocabulary({
  conditions: new Map<string, ConditionFunction>([['is_short', async (text) => text.length < 4]]),
});

function definition(type: string) {
  const found = vocabulary.conditions.get(type);
  if (found === undefined) throw new Error(`No condition ${type}`);
  return found;
}

const holds = (type: string, config: unknown, text: string): boolean | Promise<boolean> =>
  definition(type).compile(definition(type).config.parse(config), { compat: false })(
    text,
    textMessage('user', text, 'A'),
    () => undefined,
  );

const problems = (type: string, config: unknown) =>
  definition(type).check?.(definition(type).config.parse(config)) ?? [];

const accepts = (type: string, config: unknown): boolean => definition(type).config.safeParse(config).success;

describe('the function condition', () => {
  it.each([
    ['true', '', true],
    ['false', '', false],
    ['always_false', 'x', false],
    ['contains_keyword', 'a TRIGGER', true],
    ['not_contains_keyword', 'a TRIGGER', false],
    ['length_greater_than_5', '12345', false],
    ['length_greater_than_5', '😀😀😀', false],
    ['length_greater_than_5', '123456', true],
    ['code_pass', 'ok', true],
    ['code_fail', 'x ==CODE EXECUTION FAILED==', true],
    ['need_reflection_loop', 'no word', true],
    ['need_reflection_loop', 'Verdict: stop', false],
    ['should_stop_loop', 'VERDICT : Done.', true],
    ['should_stop_loop', 'verdict: continue', false],
  ])('%s of "%s" is %s', async (name, text, expected) => {
    expect(await holds('function', { name }, text)).toBe(expected);
  });

  it('calls a registered function', async () => {
    expect([
      await holds('function', { name: 'is_short' }, 'abc'),
      await holds('function', { name: 'is_short' }, 'abcd'),
    ]).toEqual([true, false]);
  });

  it('reports an unknown name', () => {
    expect(problems('function', { name: 'nope' })).toMatchObject([{ code: 'E_FUNCTION_UNKNOWN', path: ['name'] }]);
  });

  it('passes everything for an unknown function in compatibility mode', async () => {
    const passes = (name: string) =>
      definition('function').compile({ name }, { compat: true })('x', textMessage('user', 'x', 'A'), () => undefined);

    expect(await Promise.all([passes('nope'), passes('false'), passes('always_false')])).toEqual([true, true, false]);
  });
});

describe('the keyword condition', () => {
  it.each([
    [{ any: 'foo' }, 'a food', true],
    [{ any: ['foo', 'bar'] }, 'xbarx', true],
    [{ any: ['foo'] }, 'FOO', false],
    [{ any: ['Foo'], case_sensitive: false }, 'fOO', true],
    [{ none: ['bad'] }, 'good', true],
    [{ none: ['bad'], any: ['good'] }, 'good bad', false],
    [{ all: ['a', 'b'] }, 'b a', true],
    [{ all: ['a', 'b'] }, 'a', false],
    [{ all: ['a'], any: ['b'] }, 'a', false],
    [{ all: ['a'], none: ['c'] }, 'a b', true],
    [{ regex: '^\\d+$' }, '12', true],
    [{ regex: ['x', 'HELLO'], case_sensitive: false }, 'hello', true],
    [{ any: ['b'], regex: ['^a'] }, 'ac', true],
    [{ any: ['b'], regex: ['^a'] }, 'ca', false],
    [{ any: [''] }, 'x', false],
    [{ none: [''] }, 'x', true],
    [{ none: ['x'], default: true }, 'x', false],
  ])('%j of "%s" is %s', async (config, text, expected) => {
    expect(await holds('keyword', config, text)).toBe(expected);
  });

  it('requires something to search for', () => {
    expect([accepts('keyword', {}), accepts('keyword', { any: [] }), accepts('keyword', { any: null })]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('refuses values of wrong types', () => {
    expect([accepts('keyword', { any: [1] }), accepts('keyword', { any: ['a'], case_sensitive: 'no' })]).toEqual([
      false,
      false,
    ]);
  });

  it('reports an invalid pattern with its position', () => {
    expect(problems('keyword', { regex: ['ok', '(', '(?=a)b'] })).toMatchObject([
      { code: 'E_REGEX_INVALID', severity: 'error', path: ['regex', 1] },
      { code: 'W_REGEX_OUTSIDE_RE2', severity: 'warning', path: ['regex', 2] },
    ]);
  });
});

describe('the description of a condition', () => {
  it.each([
    ['keyword', { any: ['ACCEPT', 'OK'], regex: ['^y'] }, 'contains "ACCEPT" or "OK" or /^y/'],
    ['keyword', { all: ['a', 'b'], none: ['c'] }, 'contains "a" and "b", without "c"'],
    ['regex', { pattern: '^a' }, 'matches /^a/'],
    ['data', { path: 'score', at_least: 8 }, 'score at least 8'],
    ['data', { verdict: 'accept', done: true }, 'verdict is "accept" and done is true'],
    ['branch', { is: 'late' }, 'branch late'],
    ['branch', { in: ['late', 'early'] }, 'branch late or early'],
    ['branch', { otherwise: true }, 'any other branch'],
    ['handoff', { to: 'Billing' }, 'handed over to Billing'],
    ['function', { name: 'error' }, 'on failure'],
    ['function', { name: 'code_pass' }, 'code_pass'],
  ])('of %s %j is: %s', (type, config, expected) => {
    const { config: schema, describe: words } = definition(type);

    expect(words?.(schema.parse(config))).toBe(expected);
  });
});

describe('the regex condition', () => {
  it('searches with the given flags', async () => {
    expect(await holds('regex', { pattern: '^b.c$' }, 'a\nB\nC')).toBe(false);
    expect(await holds('regex', { pattern: '^b.c$', flags: ['IGNORECASE', 'MULTILINE', 'DOTALL'] }, 'a\nB\nC')).toBe(
      true,
    );
  });

  it('refuses unknown flags and invalid patterns', () => {
    expect(accepts('regex', { pattern: 'a', flags: ['VERBOSE'] })).toBe(false);
    expect(problems('regex', { pattern: '[' })).toMatchObject([{ code: 'E_REGEX_INVALID', path: ['pattern'] }]);
  });
});
