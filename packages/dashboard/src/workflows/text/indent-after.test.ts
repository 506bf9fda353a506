import { expect, it } from 'vitest';
import { indentAfter } from './indent-after.ts';

it.each([
  ['', 0],
  ['graph:', 2],
  ['  id: poems', 2],
  ['  nodes: # of the graph', 4],
  ['    - id: Writer', 6],
  ['    - config:', 8],
  ['      - - a: b', 10],
  ['      role: |', 8],
  ['      role: >-', 8],
  ['    - Writer', 4],
  ['        # a comment: with a colon:', 8],
  ['  url: http://localhost:4700', 2],
  ['  params: { default: fine }', 2],
  ['  ', 2],
])('a line after %j begins with %i spaces', (line, spaces) => {
  expect(indentAfter(line)).toBe(spaces);
});
