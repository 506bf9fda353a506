import { NodeError } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { longestTurn } from '../../../../test/support/longest-turn.ts';
import { assertTemplate, render, TemplateLimit } from './render.ts';
import { renderInChild } from './render-in-child.ts';
import { namesOf } from './template-field.ts';

const outcome = async (template: string, names: Record<string, unknown> = {}, owner = 'acme') => {
  try {
    return await renderInChild(template, [names], owner);
  } catch (error) {
    return error instanceof NodeError ? error.code : error;
  }
};

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

it('knows the texts of inputs whose data is too large to be read', () => {
  const content = `{"a": [${'1,'.repeat(200_000)}1]}`;
  const { inputs } = namesOf([{ role: 'user', content, source: 'A', keep: false }]);

  expect(inputs).toEqual([{ source: 'A', text: content }]);
});

describe('the engine', () => {
  it.each([
    ['parsing a template that needs too much memory', () => assertTemplate('{{ ("x" * 4200000000) | length }}')],
    ['rendering values that are nested too deeply', () => render('{{ a | length }}', { a: nested(20_000) })],
  ])('is replaced after %s', (_what, action) => {
    expect(action).toThrow(TemplateLimit);
    expect(render('{{ a }}', { a: 'b' })).toBe('b');
  });

  it('has a maximum of memory, which it gives back', () => {
    const before = process.memoryUsage().rss;
    const doubling =
      '{% set ns = namespace(s="x") %}{% for i in range(40) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}{{ ns.s }}';

    expect(() => render(doubling, {})).toThrow(TemplateLimit);
    expect(process.memoryUsage().rss - before).toBeLessThan(700 * 1024 * 1024);
    expect(render('{{ a }}', { a: 'b' })).toBe('b');
  });

  it('reports errors of the author as such, and is kept', () => {
    expect(() => assertTemplate('{{ a')).toThrow(/^syntax error/);
    expect(() => render('{{ a }}', {})).toThrow(/^undefined value/);
    expect(() => render('{{ a }}', {})).not.toThrow(TemplateLimit);
  });
});

describe('a text among the names', () => {
  const rendered = (template: string, text: string) =>
    renderInChild(template, [text, { content: text }], 'acme').catch(({ code }: NodeError) => code);

  it.each([
    [
      'a JSON object has its fields',
      '{"a": {"b": 1}, "content": 2}',
      '{{ a.b }} {{ content }}',
      '1 {"a": {"b": 1}, "content": 2}',
    ],
    ['another text has none', 'a: 1', '{{ a }}', 'TEMPLATE_FAILED'],
    [
      'fields that are not named may nest as deeply as they like',
      `{"a":${'['.repeat(20_000)}`,
      '{{ content | length }}',
      '20005',
    ],
    [
      'fields that are named may not',
      `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      '{{ a | length }}',
      'TEMPLATE_LIMIT',
    ],
  ])('%s', async (_what, text, template, expected) => {
    expect(await rendered(template, text)).toBe(expected);
  });

  it('delays no other work with a million fields', async () => {
    const text = `{${Array.from({ length: 1_000_000 }, (_, at) => `"k${at}":1`).join(',')}}`;

    expect(await longestTurn(rendered('{{ k7 }}', text))).toBeLessThan(700);
  });
});

describe('a template in another process', () => {
  it('is rendered with its names', async () => {
    expect(await outcome('{{ a.b }} of {{ c }}', { a: { b: 1 }, c: 'two', unused: nested(5000) })).toBe('1 of two');
  });

  it.each([
    ['an unknown name', '{{ a }}', {}, 'TEMPLATE_FAILED'],
    [
      'too many steps',
      '{% for i in range(10000) %}{% for j in range(10000) %}a{% endfor %}{% endfor %}',
      {},
      'TEMPLATE_LIMIT',
    ],
    ['too much memory', '{{ ("x" * 4200000000) | length }}', {}, 'TEMPLATE_LIMIT'],
    ['values that are nested too deeply', '{{ a | length }}', { a: nested(20_000) }, 'TEMPLATE_LIMIT'],
    ['values that are too large', '{{ a | length }}', { a: 'x'.repeat(33 * 1024 * 1024) }, 'TEMPLATE_LIMIT'],
    ['a text that is too large', '{{ a }}{{ a }}', { a: 'x'.repeat(15 * 1024 * 1024) }, 'TEMPLATE_LIMIT'],
  ])('fails for %s, and the next one is rendered', async (_what, template, names, code) => {
    expect(await outcome(template, names)).toBe(code);
    expect(await outcome('{{ a }}', { a: 'b' })).toBe('b');
  });

  it('is stopped when it takes too long, delays no other work, and those of other tenants go on', async () => {
    const slow = '{% set s = "x" * 50000000 %}{% for i in range(600) %}{% set y = s | upper %}{% endfor %}';
    const stopped = [outcome(slow), outcome(slow), outcome(slow)];
    expect(await outcome('{{ a }}', { a: 'b' }, 'other')).toBe('b');
    const hold = longestTurn(Promise.all(stopped));

    expect(await Promise.all(stopped)).toEqual(['TEMPLATE_LIMIT', 'TEMPLATE_LIMIT', 'TEMPLATE_LIMIT']);
    expect(await hold).toBeLessThan(500);
  });
});
