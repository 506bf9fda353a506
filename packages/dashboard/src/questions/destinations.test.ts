import { createVocabulary } from '@millrace/catalog';
import type { Task } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import { answerWords, destinationsOf, passesTest } from './destinations.tsx';

type Exits = NonNullable<Task['goesTo']>;

const test = (fields: Partial<NonNullable<Exits[number]['test']>>) => ({
  any: [],
  all: [],
  none: [],
  patterns: [],
  flags: [],
  ...fields,
});
const exits: Exits = [
  { to: 'Final', condition: 'contains "ACCEPT"', test: test({ any: ['ACCEPT'] }) },
  { to: 'Writer', condition: 'without "ACCEPT"', test: test({ none: ['ACCEPT'] }) },
  { to: 'Archive' },
  { to: 'Judge', condition: 'function judge' },
];
const verdicts = (text: string) =>
  Object.fromEntries(destinationsOf(exits, text).map(({ to, verdict }) => [to, verdict]));

describe('the destination of an answer', () => {
  it('depends on the text', () => {
    expect(verdicts('I ACCEPT it')).toEqual({ Final: 'yes', Writer: 'no', Archive: 'yes', Judge: 'code' });
    expect(verdicts('Shorter')).toEqual({ Final: 'no', Writer: 'yes', Archive: 'yes', Judge: 'code' });
  });

  it('is decided by the server for patterns that browsers interpret otherwise', () => {
    for (const pattern of ['(?P<n>a)', '(?i)a', '\\Aa', 'a\\Z', 'a++', '(a', '(?#c)a', '(?>a)']) {
      expect([pattern, passesTest(test({ patterns: [pattern] }), 'a')]).toEqual([pattern, undefined]);
    }
  });

  it('offers the words of conditions, with their destinations', () => {
    expect(answerWords(exits)).toEqual([{ word: 'ACCEPT', to: ['Final'], notTo: ['Writer'] }]);
  });

  it.each([
    [[], []],
    [[{ to: 'Archive' }], ['Archive']],
  ])('offers the words that a condition excludes, beside %j', (others, to) => {
    const excluding = { to: 'Writer', condition: 'without "ACCEPT"', test: test({ none: ['ACCEPT'] }) };

    expect(answerWords([excluding, ...others])).toEqual([{ word: 'ACCEPT', to, notTo: ['Writer'] }]);
  });
});

const texts = ['', 'ACCEPT', 'accept', 'I do not ACCEPT', 'a\nb', '42', 'x 42 y', 'Ünï 7', 'aa bb', 'line\n42\n'];
const keywords = [
  { any: ['ACCEPT'] },
  { any: ['ACCEPT', 'b'], none: ['not'] },
  { all: ['a', 'b'] },
  { none: ['ACCEPT'] },
  { any: ['accept'], case_sensitive: false },
  { any: [''], regex: ['\\d+'] },
  { regex: ['^a.b$'] },
];
const patterns = [
  { pattern: '^\\d+$' },
  { pattern: '^\\d+$', flags: ['MULTILINE'] },
  { pattern: 'a.b', flags: ['DOTALL'] },
  { pattern: 'ünï', flags: ['IGNORECASE'] },
  { pattern: '(a|b)\\1' },
];

describe('a condition in the browser', () => {
  const vocabulary = createVocabulary();
  const decided = async (type: string, config: object, text: string): Promise<boolean> => {
    const definition = vocabulary.conditions.get(type);
    if (definition === undefined) throw new Error(`There is no condition ${type}.`);
    return (await definition.compile(definition.config.parse(config) as never, {} as never))(
      text,
      {} as never,
      () => undefined,
    );
  };

  it.each(keywords)('of keywords has the result of the engine: %j', async (config) => {
    const {
      any = [],
      all = [],
      none = [],
      regex = [],
      case_sensitive: isSensitive = true,
    } = config as {
      readonly [name in 'any' | 'all' | 'none' | 'regex']?: string[];
    } & { readonly case_sensitive?: boolean };
    const flags = isSensitive ? [] : ['IGNORECASE'];
    for (const text of texts) {
      const here = passesTest({ any, all, none, patterns: regex, flags }, text);
      expect([text, here]).toEqual([text, await decided('keyword', config, text)]);
    }
  });

  it.each(patterns)('of a pattern has the result of the engine, or is left to the engine: %j', async (config) => {
    const { pattern, flags = [] } = config;
    for (const text of texts) {
      const here = passesTest(test({ patterns: [pattern], flags }), text);
      if (here !== undefined) expect([text, here]).toEqual([text, await decided('regex', config, text)]);
    }
  });
});
