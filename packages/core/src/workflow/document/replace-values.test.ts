import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { replaceValues } from './replace-values.ts';

const text = `# Tests of a workflow.
tests:
  - name: 'first'   # its name
    expect:
      output: Hello.       # said once
      nodes: { Writer: 2, "Loop Guard": { runs: 1 } }   # counts
      texts: [one, 'two', "three"]
      long: |
        several
        lines
      last: 1.0
  - &anchored
    name: second
    expect: { output: *nothing }
`
  .replace(' &anchored\n    name', ' name')
  .replace('*nothing', 'x');

const lines = (one: string) => one.split('\n');

describe('replacing values in a document', () => {
  it.each([
    [['tests', 0, 'expect', 'output'], 'Good day: "you".', 4, '      output: "Good day: \\"you\\"."       # said once'],
    [
      ['tests', 0, 'expect', 'nodes', 'Writer'],
      3,
      5,
      '      nodes: { Writer: 3, "Loop Guard": { runs: 1 } }   # counts',
    ],
    [
      ['tests', 0, 'expect', 'nodes', 'Loop Guard', 'runs'],
      12,
      5,
      '      nodes: { Writer: 2, "Loop Guard": { runs: 12 } }   # counts',
    ],
    [['tests', 0, 'name'], 'yes', 2, '  - name: "yes"   # its name'],
    [['tests', 0, 'expect', 'texts', 1], 'a, b', 6, '      texts: [one, "a, b", "three"]'],
    [['tests', 1, 'expect', 'output'], true, 12, '    expect: { output: true }'],
  ] as const)('changes the line of %j alone', (path, value, at, line) => {
    const { text: changed, refused } = replaceValues(text, [{ path, value }]);

    expect(refused).toEqual([]);
    expect(lines(changed)[at]).toBe(line);
    expect(lines(changed).filter((_, index) => index !== at)).toEqual(lines(text).filter((_, index) => index !== at));
  });

  it('replaces a block by a line, and a line by a block', () => {
    const { text: changed } = replaceValues(text, [
      { path: ['tests', 0, 'expect', 'long'], value: 'one line' },
      { path: ['tests', 0, 'expect', 'last'], value: 'two\nlines' },
      { path: ['tests', 0, 'expect', 'output'], value: 'before\na comment' },
    ]);

    expect(changed).toContain('      output: "before\\na comment"       # said once\n');
    expect(changed).toContain('      long: one line\n      last: |-\n        two\n        lines\n  - name: second\n');
  });

  it('refuses what is not written there, or is more than a value', () => {
    const aliased = 'a: &x 1\nb: *x\nc: {d: 1}\n<<: {e: 1}\n';
    const paths = [['a'], ['b'], ['c'], ['e'], ['f', 0]];
    const { text: changed, refused } = replaceValues(
      aliased,
      paths.map((path) => ({ path, value: 2 })),
    );

    expect(changed).toBe(aliased);
    expect(refused.map(({ path }) => path)).toEqual(paths);
  });

  it('leaves a document that reads as it did, but for the values', () => {
    const words = fc.array(fc.constantFrom('one', 'two', '# no', 'a: b', '', ' in')).map((all) => all.join('\n'));
    const value = fc.oneof(fc.string({ unit: 'grapheme' }), words, fc.integer(), fc.boolean());
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        const changes = [
          { path: ['tests', 0, 'expect', 'output'], value: a },
          { path: ['tests', 0, 'expect', 'texts', 0], value: b },
          { path: ['tests', 0, 'expect', 'long'], value: c },
        ];
        const read = parse(replaceValues(text, changes).text, { version: '1.1' });
        const { expect: first } = read.tests[0];

        expect([first.output, first.texts, first.long]).toEqual([a, [b, 'two', 'three'], c]);
        expect(read.tests[1]).toEqual({ name: 'second', expect: { output: 'x' } });
      }),
    );
  });
});
