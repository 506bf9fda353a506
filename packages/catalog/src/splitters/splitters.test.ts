import type { Message } from '@millrace/core';
import { textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { longestTurn } from '../../../../test/support/longest-turn.ts';
import { createVocabulary } from '../index.ts';

const { splitters } = createVocabulary();

function definition(type: string) {
  const found = splitters.get(type);
  if (found === undefined) throw new Error(`No splitter ${type}`);
  return found;
}

const maxItems = 1000;

async function split(type: string, config: unknown, ...messages: readonly Message[]): Promise<readonly Message[]> {
  const splitter = definition(type).compile(definition(type).config.parse(config), { compat: false });
  return [...(await splitter(messages, maxItems))];
}

async function texts(type: string, config: unknown, ...written: readonly string[]) {
  return (await split(type, config, ...written.map((text) => textMessage('user', text, 'A')))).map(
    ({ content }) => content,
  );
}

const problems = (type: string, config: unknown) =>
  definition(type).check?.(definition(type).config.parse(config)) ?? [];

describe('split by message', () => {
  it('makes a unit of each message, unchanged', async () => {
    expect(await texts('message', {}, 'a', 'b')).toEqual(['a', 'b']);
  });
});

describe('split of the data that a message carries', () => {
  const data = { findings: ['a', { b: 1 }] };
  const message: Message = {
    ...textMessage('user', '', 'A'),
    content: [{ type: 'data', data, text: '2 findings' }],
  };

  it.each(['findings', '$.findings', '$.findings[*]'])('follows the path %s', async (path) => {
    const units = await split('json_path', { json_path: path }, message);

    expect(units.map(({ content }) => content)).toEqual(['a', '{"b": 1}']);
  });
});

describe('split of an empty list', () => {
  it('makes no unit of data, and one of a text', async () => {
    const message: Message = {
      ...textMessage('user', '', 'A'),
      content: [{ type: 'data', data: { list: [] }, text: 'nothing' }],
    };

    expect(await split('json_path', { json_path: 'list' }, message)).toEqual([]);
    expect(await texts('json_path', { json_path: 'list' }, '{"list": []}')).toEqual(['{"list": []}']);
  });
});

describe('split by regex', () => {
  it('makes a unit of every match of every message', async () => {
    expect(await texts('regex', { pattern: '\\d+' }, '1 22', '3')).toEqual(['1', '22', '3']);
    expect(await texts('regex', { pattern: '(\\w)=(\\d)?', group: '2' }, 'a=1 b=')).toEqual(['1', '']);
  });

  it('uses the whole match when a group does not exist', async () => {
    expect(await texts('regex', { pattern: 'a(\\d)', group: 'nope' }, 'a1 a2')).toEqual(['a1', 'a2']);
    expect(problems('regex', { pattern: 'a', group: '' })).toMatchObject([
      { code: 'W_REGEX_GROUP_UNKNOWN', severity: 'warning' },
    ]);
  });

  it('records the origin of units, and keeps role, source and metadata but no flags', async () => {
    const message: Message = {
      role: 'assistant',
      content: 'a1',
      source: 'A',
      keep: true,
      preserveRole: true,
      metadata: { m: 1 },
    };
    const unit = { role: 'assistant', source: 'A', keep: false };

    expect(await split('regex', { pattern: '\\d' }, message)).toEqual([
      { ...unit, content: '1', metadata: { m: 1, split_source: 'regex' } },
    ]);
    expect(await split('regex', { pattern: 'x', on_no_match: 'empty' }, message)).toEqual([
      { ...unit, content: '', metadata: { m: 1, split_source: 'regex', split_no_match: true } },
    ]);
    expect(await split('regex', { pattern: 'x' }, message)).toEqual([message]);
  });
});

describe('split by json_path', () => {
  const data =
    '{"items": [1, 1.0, 1e16, 0.00001, 12345678901234567890, "s", true, null, {"2": "ü", "1": [1, 2.50]}, []], "one": "x", "list": [{"v": ["p"]}], "empty": []}';

  it('writes items as Python does', async () => {
    expect(await texts('json_path', { json_path: 'items' }, data)).toEqual([
      '1',
      '1.0',
      '1e+16',
      '1e-05',
      '12345678901234567890',
      's',
      'True',
      'None',
      '{"2": "ü", "1": [1, 2.5]}',
      '[]',
    ]);
  });

  it.each([
    ['one', data, ['x']],
    ['list.0.v', data, ['p']],
    ['', '[1, "a"]', ['1', 'a']],
    ['', '{"a":1}', ['{"a": 1}']],
    ['nope.x', data, [data]],
    ['empty', data, [data]],
    ['items', 'not json', ['not json']],
    ['$.items[?@.x > 1].n', '{"items": [{"x": 1, "n": "a"}, {"x": 2, "n": "b"}]}', ['b']],
    ['$.items', '{"items": [1, 2]}', ['1', '2']],
    ['$.items[*]', '{"items": [[1], 2.0]}', ['[1]', '2.0']],
  ])('"%s" in %s', async (path, text, expected) => {
    expect(await texts('json_path', { json_path: path }, text)).toEqual(expected);
  });

  it('uses whole messages only when none of them has units', async () => {
    expect(await texts('json_path', { json_path: 'a' }, '{}', '{"a": [1]}')).toEqual(['1']);
    expect(await texts('json_path', { json_path: 'a' }, '{}', '{"a": []}')).toEqual(['{}', '{"a": []}']);
  });

  it('stops a JSONPath whose pattern takes too long, and applies the next one', async () => {
    const slow = { json_path: "$[?match(@.x, '(a|a)*b')]" };

    await expect(texts('json_path', slow, `[{"x": "${'a'.repeat(40)}"}]`)).rejects.toMatchObject({
      code: 'SPLIT_LIMIT',
    });
    expect(await texts('json_path', { json_path: '$.a' }, '{"a": [1, 2]}')).toEqual(['1', '2']);
  });

  it('reports an invalid JSONPath', () => {
    expect(problems('json_path', { json_path: '$.[' })).toMatchObject([
      { code: 'E_JSON_PATH_INVALID', path: ['json_path'] },
    ]);
  });

  it('uses plain paths in place of JSONPath in compatibility mode', async () => {
    const { config, compile } = definition('json_path');
    const message = textMessage('user', '{"a": [1]}', 'A');
    const units = compile(config.parse({ json_path: '$.a' }), { compat: true })([message], maxItems);

    expect(await units).toMatchObject([{ content: '{"a": [1]}' }]);
  });
});

describe('split by json_array', () => {
  it.each([
    ['["a", 1, {"b": [true]}]', ['a', '1', '{"b":[true]}']],
    ['Here:\n```json\n["a", "b"]\n```\nDone [1].', ['a', 'b']],
    ['The list is ["a", "b"], as asked.', ['a', 'b']],
    ["['a', 'b',]", ['a', 'b']],
    ['```\n["a", "b"\n```', ['a', 'b']],
    ['[]', []],
  ])('finds the array in %s', async (text, expected) => {
    expect(await texts('json_array', {}, text)).toEqual(expected);
  });

  it.each(['no array', '{"a": [1]', '{"a": [1]}', 'It is {"a": [1]}.', '', '12'])(
    'fails without an array: "%s"',
    async (text) => {
      await expect(texts('json_array', {}, text)).rejects.toEqual(
        expect.objectContaining({ code: 'SPLIT_NOT_AN_ARRAY' }),
      );
    },
  );
});

describe('split by lines and by delimiter', () => {
  it('makes a unit of each line that is not blank', async () => {
    expect(await texts('lines', {}, 'a\r\n\n  \n b\n', '')).toEqual(['a', ' b']);
  });

  it('makes units of the text between blank lines, or between the matches of a pattern', async () => {
    expect(await texts('delimiter', {}, 'a\nb\n\n \nc\n\n')).toEqual(['a\nb', 'c']);
    expect(await texts('delimiter', { pattern: '\\s*---\\s*' }, '--- a\n---\nb')).toEqual(['a', 'b']);
  });

  it('makes units of the text between a literal delimiter, also one with characters of patterns', async () => {
    expect(await texts('delimiter', { delimiter: ';' }, 'a;b; ;c;')).toEqual(['a', 'b', 'c']);
    expect(await texts('delimiter', { delimiter: '.' }, 'a.b')).toEqual(['a', 'b']);
    expect(await texts('delimiter', { delimiter: '\n--\n' }, 'a\n--\nb\nc')).toEqual(['a', 'b\nc']);
  });

  it('refuses both a delimiter and a pattern', () => {
    expect(problems('delimiter', { delimiter: ';', pattern: 'x' })).toMatchObject([
      { code: 'E_FIELD_INVALID', path: ['pattern'] },
    ]);
    expect(problems('delimiter', { pattern: '(' })).toMatchObject([{ code: 'E_REGEX_INVALID' }]);
  });
});

describe('the split of a long text', () => {
  it.each([
    ['lines', {}, 'a\r\n \nb\n', ['a', 'b']],
    ['delimiter', { delimiter: '--' }, 'a-- --b--', ['a', 'b']],
    ['json_array', {}, '["a", {"b": 1}, 2]', ['a', '{"b":1}', '2']],
    ['json_path', { json_path: '' }, '["a", {"b": 1.0}, 2]', ['a', '{"b": 1.0}', '2']],
    ['json_path', { json_path: 'a' }, 'no JSON', ['no JSON']],
  ])('by %s has the same items as that of a short one', async (type, config, text, expected) => {
    const long = `${' '.repeat(20_000)}${text}`;

    expect(await texts(type, config, text)).toEqual(expected);
    expect((await texts(type, config, long)).map((item) => String(item).trim())).toEqual(expected);
  });

  it.each([
    ['lines', {}, 'a\n'.repeat(150_000)],
    ['delimiter', { delimiter: '\n' }, 'a\n'.repeat(150_000)],
    ['json_array', {}, `[${'1,'.repeat(150_000)}1]`],
    ['json_path', { json_path: '' }, `[${'1,'.repeat(150_000)}1]`],
  ])('by %s makes one more than a fan-out may have', async (type, config, text) => {
    expect(await texts(type, config, text)).toHaveLength(maxItems + 1);
  });

  it('fails for an array whose repair takes too long, and delays no other work', async () => {
    const text = `[{"a":"x${'", b "'.repeat(200_000)}`;
    const split = texts('json_array', {}, text);

    expect(await longestTurn(split)).toBeLessThan(500);
    await expect(split).rejects.toMatchObject({ code: 'SPLIT_LIMIT' });
    expect(await texts('json_array', {}, '[1]')).toEqual(['1']);
  });

  it('takes no JSON that nests too deeply', async () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);

    await expect(texts('json_array', {}, deep)).rejects.toMatchObject({ code: 'SPLIT_NOT_AN_ARRAY' });
    expect(await texts('json_path', { json_path: '' }, deep)).toEqual([deep]);
  });
});
