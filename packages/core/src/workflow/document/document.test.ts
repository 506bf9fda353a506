import { describe, expect, it } from 'vitest';
import type { Issue } from '../../model/errors.ts';
import { readDocument } from './document.ts';

function read(text: string) {
  const issues: Issue[] = [];
  const document = readDocument({ file: 'flow.yaml', text }, issues);
  return { document, issues };
}

/** Anchors that each use the one before nine times. */
function bomb(levels: number): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level <= levels; level++) {
    lines.push(
      `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
    );
  }
  return lines.join('\n');
}

describe('readDocument', () => {
  it('reports where the text is no YAML', () => {
    const { document, issues } = read('graph:\n  nodes: [unclosed\n');
    expect(document).toBeUndefined();
    expect(issues[0]).toMatchObject({ code: 'E_YAML_SYNTAX', severity: 'error', file: 'flow.yaml' });
    expect(issues[0]?.line).toBeGreaterThanOrEqual(2);
  });

  it('refuses a second document, an unknown tag and an unknown alias', () => {
    expect(read('a: 1\n--- \nb: 2').issues).toMatchObject([{ code: 'E_YAML_SYNTAX' }]);
    expect(read('a: !python/object 1').issues).toMatchObject([{ code: 'E_YAML_SYNTAX', column: 4 }]);
    expect(read('a: *nobody').issues).toMatchObject([{ code: 'E_YAML_ALIASES' }]);
  });

  it('refuses to merge a value that is no mapping', () => {
    expect(read('a: {<<: 3}').issues).toMatchObject([{ code: 'E_YAML_SYNTAX' }]);
  });

  it('refuses control characters with their position', () => {
    expect(read('a: 1\nb: "\u0007"').issues).toMatchObject([{ code: 'E_YAML_CHARACTER', line: 2, column: 5 }]);
  });

  it('refuses a text of more than 2 MB without parsing it', () => {
    expect(read(`a: ${'x'.repeat(2 * 1024 * 1024)}`).issues).toMatchObject([{ code: 'E_FILE_TOO_LARGE' }]);
  });

  it('refuses aliases that multiply', () => {
    expect(read(bomb(12)).issues).toMatchObject([{ code: 'E_YAML_ALIASES' }]);
    expect(read('a: &a [*a]').issues).toMatchObject([{ code: 'E_YAML_ALIASES' }]);
  });

  it.each([
    ['several documents', 'a: 1\n---\nb: 2'],
    ['wrong indentation', 'a: b: c\n  - x'],
    ['aliases that multiply', bomb(12)],
    ['an unknown alias', 'a: *nobody'],
    ['absurd nesting', `${'['.repeat(20_000)}`],
    ['a control character', '\u0007'],
    ['a merge of no mapping', 'a: {<<: 3}'],
  ])('reports how to correct %s', (_what, text) => {
    const [issue] = read(text).issues;
    expect(issue?.hint).toMatch(/\w/);
    expect(issue?.message).not.toContain('YAML.');
  });

  it('allows an anchor to be used hundreds of times', () => {
    const uses = Array.from({ length: 500 }, (_, index) => `k${index}: {<<: *base}`);
    expect(read(`base: &base {x: 1}\n${uses.join('\n')}`).issues).toEqual([]);
  });

  it('reports nesting that exhausts the parser, once', () => {
    expect(read(`a: ${'['.repeat(50_000)}`).issues).toMatchObject([
      { code: 'E_DEPTH_LIMIT', message: 'The document is nested more than 100 levels deep' },
    ]);
  });

  it('uses the last of two equal keys and warns about the other one', () => {
    const { document, issues } = read('a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n');
    expect(document?.value).toEqual({ a: 1, b: { c: 3, d: 2 } });
    expect(issues).toMatchObject([{ code: 'W_KEY_DUPLICATE', line: 5, column: 3, path: 'b.c' }]);
    expect(issues[0]?.message).toContain('line 3');
  });

  it('finds values, keys, missing fields and merged fields', () => {
    const { document } = read('base: &b {x: 1}\nuse:\n  <<: *b\n  y: 3\nempty:\nlist: [1, 2]\n');
    expect(document?.value).toMatchObject({ use: { x: 1, y: 3 } });
    expect(document?.at(['use', 'y'], 'value')).toEqual({ line: 4, column: 6 });
    expect(document?.at(['use', 'y'], 'key')).toEqual({ line: 4, column: 3 });
    expect(document?.at(['use', 'z'], 'value')).toEqual({ line: 3, column: 3 });
    expect(document?.at(['use', 'x'], 'value')).toEqual({ line: 1, column: 14 });
    expect(document?.at(['empty'], 'value')).toEqual({ line: 5, column: 1 });
    expect(document?.at(['list', 1], 'value')).toEqual({ line: 6, column: 11 });
  });
});
