import { NodeError } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { assertTemplate, render, TemplateLimit } from './render.ts';
import { renderInThread } from './render-in-thread.ts';

const outcome = async (template: string, names: Record<string, unknown> = {}, owner = 'acme') => {
  try {
    return await renderInThread(template, names, owner);
  } catch (error) {
    return error instanceof NodeError ? error.code : error;
  }
};

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

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

describe('a template in a thread', () => {
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
    ['values that are too large', '{{ a }}', { a: 'x'.repeat(17 * 1024 * 1024) }, 'TEMPLATE_LIMIT'],
    ['a text that is too large', '{{ a }}{{ a }}', { a: 'x'.repeat(15 * 1024 * 1024) }, 'TEMPLATE_LIMIT'],
  ])('fails for %s, and the next one is rendered', async (_what, template, names, code) => {
    expect(await outcome(template, names)).toBe(code);
    expect(await outcome('{{ a }}', { a: 'b' })).toBe('b');
  });

  it('is stopped when it takes too long, delays no other work, and those of other tenants go on', async () => {
    const slow = '{% set s = "x" * 50000000 %}{% for i in range(600) %}{% set y = s | upper %}{% endfor %}';
    let longestMs = 0;
    let at = performance.now();
    const watch = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - at);
      at = performance.now();
    }, 5);

    const stopped = [outcome(slow), outcome(slow), outcome(slow)];
    expect(await outcome('{{ a }}', { a: 'b' }, 'other')).toBe('b');
    const codes = await Promise.all(stopped);
    clearInterval(watch);

    expect(codes).toEqual(['TEMPLATE_LIMIT', 'TEMPLATE_LIMIT', 'TEMPLATE_LIMIT']);
    expect(longestMs).toBeLessThan(500);
  });
});
