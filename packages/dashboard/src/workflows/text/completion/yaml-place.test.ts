import { describe, expect, it } from 'vitest';
import { placeAt, wordBefore } from './yaml-place.ts';

/** Returns the word before the `|` of a text. */
const wordIn = (text: string) => {
  const found = wordBefore(text.replace('|', ''), text.indexOf('|'));
  return found && { kind: found.kind, path: found.path.join('.') };
};

describe('the word that is being written', () => {
  it.each([
    ['|', { kind: 'key', path: '' }],
    ['graph:\n  no|', { kind: 'key', path: 'graph' }],
    ['graph:\n  nodes:\n    - id: A\n      ty|\n', { kind: 'key', path: 'graph.nodes.0' }],
    ['graph:\n  nodes:\n    - id: A\n      ty|: agent\n', { kind: 'key', path: 'graph.nodes.0' }],
    ['graph:\n  nodes:\n    - id: A\n      type: ag|\n', { kind: 'value', path: 'graph.nodes.0.type' }],
    ['graph:\n  nodes:\n    - id: A\n      type: |\n      config: {}\n', { kind: 'value', path: 'graph.nodes.0.type' }],
    ['nodes:\n  - { id: A, ty| }\n', { kind: 'key', path: 'nodes.0' }],
    ['edges:\n  - { from: A, to: | }\n', { kind: 'value', path: 'edges.0.to' }],
    ['start: [A, B|]\n', { kind: 'value', path: 'start.1' }],
    ['nodes:\n  - |\n', { kind: 'key', path: 'nodes.0' }],
  ])('is found in %j', (text, expected) => {
    expect(wordIn(text)).toEqual(expected);
  });

  it.each(['a: b # com|ment', 'a: |-\n  text of| a block', 'a: "quoted te|xt"'])('is none in %j', (text) => {
    const at = text.lastIndexOf('|');
    expect(wordBefore(text.slice(0, at) + text.slice(at + 1), at)).toBeUndefined();
  });
});

it('a place in a text has the path of its key or value', () => {
  const text = 'graph:\n  nodes:\n    - id: A\n';
  expect(placeAt(text, text.indexOf('nodes') + 1)?.path).toEqual(['graph', 'nodes']);
  expect(placeAt(text, text.indexOf('A'))?.path).toEqual(['graph', 'nodes', 0, 'id']);
});
