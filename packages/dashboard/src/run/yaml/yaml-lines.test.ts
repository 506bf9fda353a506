import { describe, expect, it } from 'vitest';
import { longestLine, nodesByLine, partsOf } from './yaml-lines.ts';

const kinds = (line: string) => partsOf(line).map(({ text, kind }) => [text, kind]);

describe('a line of YAML', () => {
  it.each([
    ['# a comment', [['# a comment', 'comment']]],
    [
      '  id: Writer',
      [
        ['  ', 'plain'],
        ['id', 'key'],
        [':', 'plain'],
        [' Writer', 'plain'],
      ],
    ],
    [
      '  - { from: A, to: B }',
      [
        ['  - { ', 'plain'],
        ['from', 'key'],
        [':', 'plain'],
        [' A, to: B }', 'plain'],
      ],
    ],
    [
      '- id: "a # b"',
      [
        ['- ', 'plain'],
        ['id', 'key'],
        [':', 'plain'],
        [' "a # b"', 'string'],
      ],
    ],
    [
      'limit: 3 # iterations',
      [
        ['limit', 'key'],
        [':', 'plain'],
        [' 3', 'literal'],
        [' # iterations', 'comment'],
      ],
    ],
    [
      '    You write. See: nothing',
      [
        ['    ', 'plain'],
        ['You write. See', 'key'],
        [':', 'plain'],
        [' nothing', 'plain'],
      ],
    ],
    [
      'nodes:',
      [
        ['nodes', 'key'],
        [':', 'plain'],
      ],
    ],
  ])('has a key, a value and a comment: %s', (line, parts) => {
    expect(kinds(line)).toEqual(parts);
  });

  it('is shown whole, whatever its parts', () => {
    for (const line of ['', '   ', 'a:b', '{ a: b }', "x: 'it''s'", '💣: \u202e']) {
      expect(
        partsOf(line)
          .map(({ text }) => text)
          .join(''),
      ).toBe(line);
    }
  });

  it('of a megabyte is truncated', () => {
    expect(
      partsOf('x'.repeat(1_000_000))
        .map(({ text }) => text)
        .join(''),
    ).toHaveLength(longestLine);
  });
});

describe('the lines of a node', () => {
  it('reach from its first line to where its indentation ends', () => {
    const lines = ['nodes:', '  - id: A', '    type: human', '', '  - id: B', '    type: agent', 'edges: []'];

    expect(nodesByLine(lines, { A: 2, B: 5 })).toEqual([undefined, 'A', 'A', undefined, 'B', 'B', undefined]);
  });
});
