import type { Message } from '@millrace/core';
import { textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { fakeHost } from '../../../../test/support/fakes/fake-host.ts';
import type { ProcessorFunction } from '../functions/processor-functions.ts';
import { createVocabulary } from '../index.ts';

const vocabulary = createVocabulary({
  processors: new Map<string, ProcessorFunction>([
    ['swallow', () => null],
    ['drop', () => ({ drop: true })],
    ['label', (text) => ({ content: `<${text}>`, metadata: { label: 1 } })],
    ['mark', () => ({ metadata: { marked: true } })],
  ]),
});

function definition(type: string) {
  const found = vocabulary.processors.get(type);
  if (found === undefined) throw new Error(`No processor ${type}`);
  return found;
}

const process = (type: string, config: unknown, message: Message) =>
  definition(type).compile(definition(type).config.parse(config), { compat: false })(message, fakeHost());

async function textAfter(type: string, config: unknown, text: string): Promise<unknown> {
  const result = await process(type, config, textMessage('user', text, 'A'));
  if (result.type === 'message') return result.message.content;
  return result.type === 'drop' ? 'dropped' : result.error.code;
}

const problems = (type: string, config: unknown) =>
  definition(type).check?.(definition(type).config.parse(config)) ?? [];

const accepts = (type: string, config: unknown): boolean => definition(type).config.safeParse(config).success;

describe('regex_extract', () => {
  const pairs = 'a=1, b=22';

  it.each([
    [{ pattern: '\\d+' }, '1'],
    [{ pattern: '(\\w)=(\\d+)', group: 2 }, '1'],
    [{ pattern: '(\\w)=(\\d+)', group: '2', multiple: true }, '1\n22'],
    [{ pattern: '(?P<k>\\w)=', group: 'k', multiple: true, template: '[{match}{match}]' }, '[aa]\n[bb]'],
    [{ pattern: '(x)?\\d+', group: 1 }, pairs],
    [{ pattern: 'B=', case_sensitive: false }, 'b='],
    [{ pattern: '\\d', template: '$& {match}' }, '$& 1'],
    [{ pattern: '\\d', template: '' }, '1'],
    [{ pattern: 'zzz' }, pairs],
    [{ pattern: 'zzz', on_no_match: 'drop' }, 'dropped'],
    [{ pattern: 'zzz', on_no_match: 'default' }, ''],
    [{ pattern: 'zzz', on_no_match: 'default', default_value: 'none' }, 'none'],
  ])('%j converts the text to "%s"', async (config, expected) => {
    expect(await textAfter('regex_extract', config, pairs)).toBe(expected);
  });

  it('keeps role, flags and metadata, and leaves a message without a match as it is', async () => {
    const message: Message = {
      role: 'assistant',
      content: [{ type: 'text', text: 'x1' }],
      source: 'A',
      keep: true,
      metadata: { a: 1 },
    };

    expect(await process('regex_extract', { pattern: '\\d' }, message)).toEqual({
      type: 'message',
      message: { ...message, content: '1' },
    });
    expect(await process('regex_extract', { pattern: 'y' }, message)).toEqual({ type: 'message', message });
  });

  it('throws for a group that does not exist, even an empty one', async () => {
    const message = textMessage('user', pairs, 'A');

    for (const group of ['nope', '', 5]) {
      const processed = process('regex_extract', { pattern: '\\d', group, on_no_match: 'drop' }, message);
      await expect(processed).rejects.toMatchObject({ code: 'REGEX_GROUP_UNKNOWN' });
    }
  });

  it('reports an invalid pattern and an unknown group', () => {
    expect(problems('regex_extract', { pattern: '(' })).toMatchObject([{ code: 'E_REGEX_INVALID', path: ['pattern'] }]);
    expect(problems('regex_extract', { pattern: '(?P<a>x)(y)', group: 'b' })).toMatchObject([
      { code: 'W_REGEX_GROUP_UNKNOWN', path: ['group'], hint: 'Its groups: 1, 2, a.' },
    ]);
    expect(problems('regex_extract', { pattern: '(?P<a>x)', group: 'a' })).toEqual([]);
  });

  it('refuses wrong fields', () => {
    expect([
      accepts('regex_extract', {}),
      accepts('regex_extract', { pattern: 'x', group: 1.5 }),
      accepts('regex_extract', { pattern: 'x', on_no_match: 'maybe' }),
      accepts('regex_extract', { pattern: 'x', group: null, template: null, default_value: null }),
    ]).toEqual([false, false, false, true]);
  });
});

describe('template', () => {
  it('has the content, the source and the fields of a JSON object as variables', async () => {
    expect(await textAfter('template', { template: '{{ source }}: {{ content.upper() }}' }, 'hi')).toBe('A: HI');
    expect(
      await textAfter(
        'template',
        { template: '{{ who.name }} {% for n in list %}{{ n }};{% endfor %}' },
        '{"who": {"name": "Ann"}, "list": [1, 2]}',
      ),
    ).toBe('Ann 1;2;');
    expect(await textAfter('template', { template: '{{ content }}' }, '{"content": 1}')).toBe('{"content": 1}');
  });

  it('has the data that a message carries, and their fields, as variables', async () => {
    const data = { score: 8, who: { name: 'Ann' } };
    const message: Message = {
      ...textMessage('user', '', 'A'),
      content: [{ type: 'data', data, text: 'Passed.' }],
    };

    expect(
      await process('template', { template: '{{ data.score }} {{ who.name }} {{ content }}' }, message),
    ).toMatchObject({ message: { content: '8 Ann Passed.' } });
    expect(await textAfter('template', { template: '{{ data.a }}' }, '{"a": 1}')).toBe('1');
  });

  it('has the items of the unit as variables, written as JSON', async () => {
    const items = { patient: { name: 'Ann "A"', ok: true, none: null }, line: '{% raw %}' };
    const message: Message = { ...textMessage('user', 'x', 'A'), metadata: { items } };
    const template =
      '{{ patient.name|upper }} {{patient}} {{patient.none}} {{ line }} {% if patient.ok %}ok{% endif %}';

    expect(await process('template', { template }, message)).toMatchObject({
      message: {
        content: 'ANN "A" {"name":"Ann \\"A\\"","ok":true,"none":null} null {% raw %} ok',
        metadata: { items },
      },
    });
  });

  it('fails on an unknown variable', async () => {
    await expect(textAfter('template', { template: '{{ nope }}' }, 'x')).rejects.toMatchObject({
      code: 'TEMPLATE_FAILED',
    });
  });

  it('stops a template that takes too long', async () => {
    const template = '{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}';

    await expect(textAfter('template', { template }, 'x')).rejects.toMatchObject({ code: 'TEMPLATE_LIMIT' });
  });

  it('reports an invalid template in one line', () => {
    const found = problems('template', { template: 'a {{ b' });

    expect(found).toMatchObject([{ code: 'E_TEMPLATE_INVALID', path: ['template'] }]);
    expect(found[0]?.message).not.toContain('\n');
  });
});

describe('the function processor', () => {
  it.each([
    ['uppercase_payload', 'X'],
    ['swallow', 'dropped'],
    ['drop', 'dropped'],
    ['label', '<x>'],
    ['mark', 'x'],
  ])('%s gives "%s"', async (name, expected) => {
    expect(await textAfter('function', { name }, 'x')).toBe(expected);
  });

  it('adds to the metadata', async () => {
    const message: Message = { ...textMessage('user', 'x', 'A'), metadata: { a: 1 } };

    expect(await process('function', { name: 'label' }, message)).toMatchObject({
      message: { content: '<x>', metadata: { a: 1, label: 1 } },
    });
  });

  it('reports an unknown function, and passes the message where that is allowed', async () => {
    expect(problems('function', { name: 'nope' })).toMatchObject([{ code: 'E_FUNCTION_UNKNOWN' }]);
    expect(await textAfter('function', { name: 'nope' }, 'x')).toBe('x');
  });
});
